// The public file of this area: other areas import from here only.
export {
  connectToRunningOrStart,
  connectDatabase,
  type ConnectedDatabase,
  redactPassword,
} from './connect.ts';
export { chooseOsAccount } from './embedded-account.ts';
export { defaultDataDirectory, resolveDataDirectory } from './embedded-data-directory.ts';
export { findRunningInstance, syncDirectory } from './embedded-lock-file.ts';
export { cleanUpOrphans } from './embedded-orphan-cleanup.ts';
export { startEmbeddedPostgres } from './embedded.ts';
export {
  applyMigrations,
  lockMigrations,
  listMigrationNames,
  listPendingMigrations,
  migrate,
  MigrationError,
} from './migrations.ts';
export { type ReadRoutingDeps, recordWrites, routeReads } from './replica-routing.ts';
export { openReplicas, type Replicas } from './replicas.ts';
