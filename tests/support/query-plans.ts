import pg from 'pg';
import { inject } from 'vitest';
import { z } from 'zod';
import { withClient } from './database-client.ts';
import { runAsAdmin, type TestDatabase, withDatabase } from './database.ts';

/** A statement as PostgreSQL executed it, including those of triggers and foreign keys. */
export type ExecutedStatement = { text: string; nodes: PlanNode[] };

/** A step of a plan. `rows` is the number of rows it read in all loops: returned and filtered out. */
export type PlanNode = { type: string; table: string | null; rows: number };

export type PlanRecorder = {
  /** Connects to the database so that every statement is recorded. */
  connection: pg.PoolConfig;
  /** Returns the statements since the last call. */
  takeStatements: () => ExecutedStatement[];
};

/**
 * Makes PostgreSQL explain each executed statement, with its parameters and in its transaction, to the client
 * (auto_explain). Needs a superuser: with TEST_DATABASE_URL, its user must be one.
 */
export async function recordQueryPlans({ connection }: TestDatabase): Promise<PlanRecorder> {
  const { admin } = inject('testServer');
  const name = pg.escapeIdentifier(new pg.Client(connection).database ?? '');
  for (const [setting, value] of Object.entries(autoExplainSettings))
    await runAsAdmin(admin, `alter database ${name} set ${setting} = '${value}'`);
  let executed: ExecutedStatement[] = [];
  class RecordedClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      this.on('notice', ({ message = '' }) => {
        const plan = /^duration: .* ms {2}plan:\n(?<plan>.*)$/s.exec(message)?.groups?.['plan'];
        if (plan !== undefined) executed.push(readPlan(plan));
      });
    }
  }
  return {
    connection: { ...connection, Client: RecordedClient },
    takeStatements() {
      const taken = executed;
      executed = [];
      return taken;
    },
  };
}

/** Runs statements on the test's database as a user who may disable triggers. */
export async function withAdminClient(
  { connection }: TestDatabase,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const { admin } = inject('testServer');
  await withClient(withDatabase(admin, new pg.Client(connection).database ?? ''), work);
}

const autoExplainSettings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

const count = z.number().default(0);
const node = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().nullable().default(null),
  'Actual Rows': count,
  'Actual Loops': count,
  'Rows Removed by Filter': count,
  'Rows Removed by Join Filter': count,
  'Rows Removed by Index Recheck': count,
  get Plans() {
    return z.array(node).default([]);
  },
});
const explanation = z.object({ 'Query Text': z.string(), Plan: node });

function readPlan(text: string): ExecutedStatement {
  const { 'Query Text': query, Plan: root } = explanation.parse(JSON.parse(text));
  return { text: query.replaceAll(/\s+/g, ' ').trim(), nodes: nodesOf(root) };
}

function nodesOf(plan: z.infer<typeof node>): PlanNode[] {
  const loops = plan['Actual Loops'];
  const looked =
    plan['Actual Rows'] +
    plan['Rows Removed by Filter'] +
    plan['Rows Removed by Join Filter'] +
    plan['Rows Removed by Index Recheck'];
  const own = { type: plan['Node Type'], table: plan['Relation Name'], rows: Math.round(looked * loops) };
  return [own, ...plan.Plans.flatMap(nodesOf)];
}
