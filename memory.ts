/** The store behind the provider `memory`, for subjects that need no engine. */
export { openStore, type Row, Store, type StoredRow, StoreError, Transaction } from './providers/memory/store.ts';
