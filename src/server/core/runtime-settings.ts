import { sql } from 'kysely';
import { z } from 'zod';
import { type Database, transaction } from './database.ts';
import { onEventsCommitted, publish, type TopicEvent } from './events.ts';

/** A site setting that an operator changes while Parley runs. */
type Definition = { schema: z.ZodType; initial: unknown; values: string; description: string };

/**
 * All settings of the table `site_setting`. Settings that a node needs to start are in the environment
 * (site-settings.ts).
 */
export const runtimeSettingDefinitions = {
  publicReading: {
    schema: z.boolean(),
    initial: false,
    values: 'true or false',
    description: 'Visitors read questions, topics, profiles and search results without signing in.',
  },
  formulas: {
    schema: z.boolean(),
    initial: false,
    values: 'true or false',
    description: 'Posts show formulas: $…$ in a line and $$…$$ as a block, in the notation of LaTeX.',
  },
} as const satisfies Record<string, Definition>;

type Definitions = typeof runtimeSettingDefinitions;

export type RuntimeSettingName = keyof Definitions;

export type RuntimeSettingValues = { [Name in RuntimeSettingName]: z.output<Definitions[Name]['schema']> };

export const runtimeSettingNames = Object.keys(runtimeSettingDefinitions) as RuntimeSettingName[];

/** The current values on this node. A change on any node arrives here within about a second. */
export type RuntimeSettings = {
  /** Call it for every request: the value changes while Parley runs. */
  get: <Name extends RuntimeSettingName>(name: Name) => RuntimeSettingValues[Name];
  /** Reads the settings again if one of the events says that they changed. */
  applyEvents: (events: readonly TopicEvent[]) => void;
  /** Reads the settings again, until the database responds. */
  refresh: () => Promise<void>;
};

/** Milliseconds between two attempts to read the settings. */
const retryMs = 1_000;

export async function openRuntimeSettings(db: Database): Promise<RuntimeSettings> {
  let values = await readRuntimeSettings(db);
  let isStale = false;
  let refreshing: Promise<void> | undefined;
  const applyEvents = (events: readonly TopicEvent[]) => {
    if (events.some(({ event }) => event.kind === 'site-settings-changed')) void refresh();
  };
  // In addition to the event stream, so that a change by this node does not wait for it.
  onEventsCommitted(db, ({ events }) => applyEvents(events));
  return { get: (name) => values[name], applyEvents, refresh };

  function refresh(): Promise<void> {
    isStale = true;
    return (refreshing ??= readAgain().finally(() => (refreshing = undefined)));
  }

  /** One read at a time, so that an older one never replaces a newer one. */
  async function readAgain(): Promise<void> {
    while (isStale) {
      isStale = false;
      try {
        values = await readRuntimeSettings(db);
      } catch {
        isStale = true;
        await new Promise<void>((resolve) => void setTimeout(resolve, retryMs).unref());
      }
    }
  }
}

/** Returns the stored values, and the defaults of settings that have none or one that is no longer valid. */
export async function readRuntimeSettings(db: Database): Promise<RuntimeSettingValues> {
  const rows = await db.selectFrom('site_setting').select(['name', 'value']).execute();
  const stored = new Map(rows.map(({ name, value }) => [name, value]));
  const entries = runtimeSettingNames.map((name) => {
    const { schema, initial } = runtimeSettingDefinitions[name];
    const value = schema.safeParse(stored.get(name));
    return [name, value.success ? value.data : initial] as const;
  });
  return Object.fromEntries(entries) as RuntimeSettingValues;
}

/** Stores a value. All nodes use it within about a second. */
export async function setRuntimeSetting<Name extends RuntimeSettingName>(
  db: Database,
  name: Name,
  value: RuntimeSettingValues[Name],
): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`
      insert into site_setting (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
      on conflict (name) do update set value = excluded.value, changed_at = default`.execute(tx);
    await publish(tx, 'site-settings', { kind: 'site-settings-changed' });
  });
}
