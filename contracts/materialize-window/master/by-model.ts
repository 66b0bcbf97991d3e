import { type Bench, type Guard, guard } from '../../kernel/guard.ts';
import { large, listedSingles, listedWindows, recordWindow, windowKinds } from './listed.ts';
import { type Played, playByModel } from './play.ts';
import { type Scenario, scenarios } from './scenario.ts';

export const equalsTheModel: Guard = guard({
  id: 'materialize-window/equals-the-model',
  statement:
    'What the bulk member, the single member and advance tell and leave (outcomes, cursor, run count, children, schedule, audit) is what a plain model in memory tells and leaves.',
  proves: ['scenarios', ...windowKinds, 'single slots', 'advances'],
  async check(bench) {
    const play = (scenario: Scenario) => playByModel(bench, scenario, (step) => record(bench, step));
    // Served slot by slot, nobody is asked about a window of none, so that nobody can tell where its schedule stands.
    const least = bench.declaration.givesUp.bulk === undefined ? 0 : 1;
    await bench.each('listed', [...listedWindows(least), ...listedSingles], (scenario) =>
      counted(bench, play, scenario),
    );
    const { maxItems = Number.POSITIVE_INFINITY } = bench.declaration.limits;
    const takesLarge = least === 0 && maxItems >= large.calls[0]!.slots.length;
    if (takesLarge) await bench.case('large', () => counted(bench, play, large));
    await bench.property('generated', scenarios(bench, ['window', 'single', 'advance'], least), (scenario) =>
      counted(bench, play, scenario),
    );
  },
});

export const fallbackEqualsBulk: Guard = guard({
  id: 'materialize-window/fallback-equals-bulk',
  statement:
    'A backend without the bulk member, served slot by slot by the toolkit, tells and leaves what the model of the bulk member does.',
  needs: ['!bulk'],
  proves: ['scenarios', ...windowKinds],
  async check(bench) {
    const play = (scenario: Scenario) => playByModel(bench, scenario, (step) => record(bench, step));
    await bench.each('listed', listedWindows(1), (scenario) => counted(bench, play, scenario));
    await bench.property('generated', scenarios(bench, ['window'], 1), (scenario) => counted(bench, play, scenario));
  },
});

async function counted(bench: Bench, play: (scenario: Scenario) => Promise<void>, scenario: Scenario): Promise<void> {
  await play(scenario);
  bench.record('scenarios', 1);
}

function record(bench: Bench, step: Played): void {
  if (step.call.by === 'window') recordWindow(bench, step);
  else bench.record(step.call.by === 'single' ? 'single slots' : 'advances', 1);
}
