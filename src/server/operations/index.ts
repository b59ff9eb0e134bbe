// The public file of this area: other areas import from here only.
export { registerBackupCommands } from './backup-command.ts';
export {
  assertNoCommunityIsMissing,
  assertNoDataIsMissing,
  getBackupMetrics,
  startBackupScheduler,
} from './backup-scheduler.ts';
export { startExportScheduler } from './export-scheduler.ts';
export { isDatabaseEmpty, listAppliedMigrations } from './doctor-queries.ts';
export { registerDoctorCommand } from './doctor-command.ts';
export { type SystemRoutesDeps, systemRoutes } from './system-routes.ts';
export { registerUpgradeCommand } from './upgrade-command.ts';
