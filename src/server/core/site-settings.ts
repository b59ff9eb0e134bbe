import { sql } from 'kysely';
import {
  settingCatalogue,
  type SettingName,
  settingNames,
  type SettingValues,
} from '#shared/core/setting-catalogue.ts';
import { settingSchema } from '#shared/core/settings/setting-schema.ts';
import type { Database, Reader, Tx } from './database.ts';
import { onEventsCommitted, publish, type TopicEvent } from './events.ts';

/** The current values on this node. A change on any node arrives here within about a second. */
export type SiteSettings = {
  /** Call it for every request: the value changes while Parley runs. */
  get: <Name extends SettingName>(name: Name) => SettingValues[Name];
  /** Reads the settings again if one of the events says that they changed. */
  applyEvents: (events: readonly TopicEvent[]) => void | Promise<void>;
  /** Reads the settings again, until the database responds. */
  refresh: () => Promise<void>;
};

/** Milliseconds between two attempts to read the settings. */
const retryMs = 1_000;

/** Milliseconds for which the response to a change waits until this node has read it. */
const maxResponseDelayMs = 2_000;

const waitMs = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());

export async function openSiteSettings(db: Database): Promise<SiteSettings> {
  let values = await readSiteSettings(db);
  let isStale = false;
  let refreshing: Promise<void> | undefined;
  const applyEvents = (events: readonly TopicEvent[]) =>
    events.some(({ event }) => event.kind === 'site-settings-changed') ? refresh() : undefined;
  // In addition to the event stream: a change by this node applies when its response is sent. A database that does not
  // respond does not hold it up.
  onEventsCommitted(db, ({ events }) => {
    const applied = applyEvents(events);
    return applied === undefined ? undefined : Promise.race([applied, waitMs(maxResponseDelayMs)]);
  });
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
        values = await readSiteSettings(db);
      } catch {
        isStale = true;
        await waitMs(retryMs);
      }
    }
  }
}

/** Returns the stored values, and the defaults of settings that have none or one that is no longer valid. */
export async function readSiteSettings(db: Reader): Promise<SettingValues> {
  const { rows } = await sql<{ name: string; value: unknown }>`select name, value from site_setting`.execute(
    db,
  );
  const stored = new Map(rows.map(({ name, value }) => [name, value]));
  const entries = settingNames.map((name) => {
    const definition = settingCatalogue[name];
    const value = settingSchema(definition).safeParse(stored.get(name));
    return [name, value.success ? value.data : definition.default] as const;
  });
  return Object.fromEntries(entries) as SettingValues;
}

/** Locks the setting against other changes until the end of the transaction; it may have no row yet. */
export async function lockSetting(tx: Tx, name: SettingName): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`site_setting:${name}`}, 0))`.execute(tx);
}

/** Stores a value that the setting accepts. All nodes use it within about a second after the commit. */
export async function storeSiteSetting<Name extends SettingName>(
  tx: Tx,
  name: Name,
  value: SettingValues[Name],
): Promise<void> {
  await sql`
    insert into site_setting (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
    on conflict (name) do update set value = excluded.value, changed_at = default`.execute(tx);
  await publish(tx, 'site-settings', { kind: 'site-settings-changed' });
}
