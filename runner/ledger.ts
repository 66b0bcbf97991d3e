/** What a guard has seen: counts and texts by name. A count of zero is no evidence, wherever it was entered. */
export class Ledger {
  readonly evidence: Record<string, number | string> = {};
  readonly #empty = new Set<string>();

  record(name: string, amount: number | string): void {
    if (typeof amount === 'string') {
      this.evidence[name] = amount;
      return;
    }
    const before = this.evidence[name];
    this.evidence[name] = (typeof before === 'number' ? before : 0) + amount;
    if (!(amount > 0)) this.#empty.add(name);
  }

  /** The evidence that is named but was never entered, or was entered as zero. */
  missing(proves: readonly string[]): string[] {
    return [...new Set([...proves.filter((name) => !(name in this.evidence)), ...this.#empty])];
  }
}
