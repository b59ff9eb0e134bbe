import type { Config } from '#server/core/config.ts';
import type { Database } from '#server/core/database.ts';
import { listPendingMigrations, MigrationError } from '#server/postgres/index.ts';
import { checkDatabaseServer } from './doctor-check-database.ts';
import { checkBackups } from './doctor-check-services.ts';
import { createFinding, type Finding, formatMegabytes, okFinding } from './doctor-findings.ts';
import { isDatabaseEmpty, listAppliedMigrations, listTableSizes } from './doctor-queries.ts';

/** A migration that starting this version would apply. */
export type PlannedMigration = {
  name: string;
  /** The comment at the top of the file. */
  purpose: string;
  /** The existing tables that its SQL names in a change, the largest first. Rows are PostgreSQL's estimate. */
  tables: { name: string; rows: number; bytes: number }[];
};

export type UpgradePlan = { migrations: PlannedMigration[]; findings: Finding[] };

/** Says what starting this version would do to the database. Reads only. */
export async function planUpgrade(
  db: Database,
  { config, migrationsDirectory }: { config: Config; migrationsDirectory: string },
): Promise<UpgradePlan> {
  const { findings } = await checkDatabaseServer(db);
  if (await isDatabaseEmpty(db)) {
    const text = 'The database is empty. Starting this version creates its schema.';
    return { migrations: [], findings: [...findings, okFinding('migrations', text)] };
  }
  const backups = await checkBackups(config, db);
  try {
    const pending = await listPendingMigrations(await listAppliedMigrations(db), migrationsDirectory);
    const migrations = await Promise.all(pending.map((file) => planMigration(db, file)));
    return {
      migrations,
      findings: [...findings, describeMigrations(migrations), ...describeWayBack(migrations, backups)],
    };
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    const finding = createFinding('migrations')(
      'problem',
      error.message,
      'This version refuses to start on this database.',
      'Start the version that the database belongs to.',
    );
    return { migrations: [], findings: [...findings, finding] };
  }
}

function describeMigrations(migrations: readonly PlannedMigration[]): Finding {
  if (migrations.length === 0)
    return okFinding('migrations', "The database has this version's schema. Nothing would be migrated.");
  const count = migrations.length === 1 ? '1 migration' : `${migrations.length} migrations`;
  return createFinding('migrations')(
    'hint',
    `The first node of this version that starts applies ${count} in one transaction.`,
    'Changed tables are locked until it ends. The larger they are, the longer writes to them wait.',
    'With large tables, upgrade while few members are there. Read in CHANGELOG.md whether all nodes must be stopped.',
  );
}

/** Migrations are never reversed, so the way back is a backup. */
function describeWayBack(migrations: readonly PlannedMigration[], backups: readonly Finding[]): Finding[] {
  if (migrations.length === 0) return [];
  if (backups.some(({ level }) => level === 'problem' || level === 'warning')) return [...backups];
  return [
    createFinding('backups')(
      'hint',
      'The previous version cannot be started on the database again.',
      'To go back, restore a backup that was taken before. What was written since is lost.',
      'Directly before the upgrade, run: parley backup FILE',
    ),
  ];
}

async function planMigration(
  db: Database,
  { name, text }: { name: string; text: string },
): Promise<PlannedMigration> {
  return { name, purpose: readPurpose(text), tables: await listTableSizes(db, listChangedTables(text)) };
}

/** The lines of comments before the first statement. */
function readPurpose(text: string): string {
  const [, comment = ''] = /^((?:--[^\n]*\n)+)/u.exec(text) ?? [];
  return comment
    .split('\n')
    .map((line) => line.replace(/^--\s?/u, ''))
    .join(' ')
    .trim();
}

const changes =
  /\b(?:alter table|update|delete from|insert into|drop table|create (?:unique )?index \w+\s+on)\s+(?:if exists\s+|only\s+)*(\w+)/giu;

function listChangedTables(text: string): string[] {
  const statements = text.replaceAll(/--[^\n]*/gu, '');
  return [...new Set([...statements.matchAll(changes)].map(([, table = '']) => table.toLowerCase()))];
}

/** `  0015_admins.sql: Admins change … Changes member (about 1,200 rows, 3 MB).` */
export function formatMigration({ name, purpose, tables }: PlannedMigration): string {
  const sizes = tables.map(
    ({ name, rows, bytes }) => `${name} (about ${rows.toLocaleString('en')} rows, ${formatMegabytes(bytes)})`,
  );
  const changed = sizes.length === 0 ? 'Changes no existing table.' : `Changes ${sizes.join(', ')}.`;
  return `  ${name}${purpose === '' ? '' : `: ${purpose}`}\n    ${changed}\n`;
}
