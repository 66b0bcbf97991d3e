/** What an author of a backend or of a provider needs. */
export { type Config, defineConfig } from './cli/define-config.ts';
export type {
  Chunk,
  Declaration,
  EngineFacts,
  Extra,
  KeyDifference,
  Means,
  Offer,
  PromiseName,
} from './contracts/kernel/capabilities.ts';
export type { Counterexample, SlotLine, SlotMark } from './contracts/kernel/counterexample.ts';
export type {
  ArmedFault,
  CallersTable,
  Fault,
  Found,
  Lease,
  RowFaultKind,
  Sample,
  SampleBy,
  SeenStatement,
  Site,
  Snapshot,
  Sprung,
  Stillness,
  Watch,
  Watched,
} from './contracts/kernel/engine.ts';
export type { Failure, Id, Outcome, ReportedOutcome } from './contracts/kernel/outcome.ts';
export type {
  Advance,
  AdvanceOutcome,
  AuditLevel,
  Child,
  Expected,
  MaterializeWindowPort,
  Schedule,
  SingleSlot,
  Slot,
  SlotLoss,
  SlotOutcome,
  SlotResult,
  Standing,
  Window,
  WindowOptions,
  WindowResult,
} from './contracts/materialize-window/port.ts';
export type { ContractName, Ports } from './contracts/ports.ts';
export type {
  CallersTransaction,
  Message,
  ReceivedMessage,
  SendBatchPort,
  SendOptions,
  StoredMessage,
} from './contracts/send-batch/port.ts';
export {
  type Backend,
  type BackendDefinition,
  defineBackend,
  type Entry,
  type Probe,
  type Variant,
} from './host/backend.ts';
export { duplicate, failed, refuseOthers, stored, UnsupportedOption, unknown } from './host/only.ts';
export {
  type Agent,
  type DoctorCheck,
  defineProvider,
  type Engine,
  type EngineOptions,
  EngineUnavailable,
  type Provider,
} from './providers/provider.ts';
export type { MemorySite, PostgresSite, ProviderName, Sites, SqliteSite } from './providers/sites.ts';
export type {
  CaseResult,
  EngineReport,
  PathReport,
  Report,
  Reporter,
  RunEvents,
  Summary,
  Verdict,
  VerdictName,
} from './runner/report.ts';
