import { Command, CommanderError } from 'commander';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openRuntimeSettings, setRuntimeSetting } from '#server/core/runtime-settings.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { eventually } from '#tests/support/eventually.ts';
import { startTestServer } from '#tests/support/server.ts';
import { addSettingsCommands } from './settings-command.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const { db } = server;

/** Runs `parley settings …` on this test's database. */
async function settings(...parameters: string[]): Promise<{ code: number; out: string; err: string }> {
  const ended = { code: 0, out: '', err: '' };
  const program = new Command('parley').exitOverride().configureOutput({
    writeOut: (text) => (ended.out += text),
    writeErr: (text) => (ended.err += text),
  });
  addSettingsCommands(program, {
    withDatabase: (work) => work(db),
    out: { write: (text: string) => (ended.out += text) },
  });
  try {
    await program.parseAsync(['settings', ...parameters], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    ended.code = error.exitCode === 0 ? 0 : 2;
  }
  return ended;
}

test('lists, prints and changes site settings on the command line', async () => {
  expect(await settings('list')).toMatchObject({ code: 0, out: 'publicReading\tfalse\nformulas\tfalse\n' });
  expect(await settings('set', 'publicReading', 'true')).toEqual({
    code: 0,
    out: 'publicReading is now true.\n',
    err: '',
  });
  expect((await settings('get', 'publicReading')).out).toBe('true\n');
  expect((await settings('set', 'publicReading', 'false')).code).toBe(0);
  expect((await settings('list')).out).toBe('publicReading\tfalse\nformulas\tfalse\n');
});

test('explains the settings, and refuses unknown names and values that a setting cannot have', async () => {
  expect((await settings('--help')).out).toContain('publicReading: true or false (default false).');
  expect(await settings('get', 'publicWriting')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Allowed choices are publicReading, formulas.'),
  });
  expect(await settings('set', 'publicReading', 'yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining("publicReading must be true or false, not 'yes'."),
  });
  expect((await settings('get', 'publicReading')).out).toBe('false\n');
});

test('reaches every node within a second', async () => {
  const node = await startCachingNode(server.database);
  try {
    const startedAt = performance.now();
    await setRuntimeSetting(db, 'publicReading', true);
    await eventually(() => node.runtimeSettings.get('publicReading'));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await setRuntimeSetting(db, 'publicReading', false);
    await eventually(() => !node.runtimeSettings.get('publicReading'));
  } finally {
    await node.stop();
  }
});

test('uses the default of a setting whose stored value is not valid', async () => {
  await sql`insert into site_setting (name, value) values ('publicReading', '"perhaps"'), ('unknown', '1')
    on conflict (name) do update set value = excluded.value`.execute(db);
  expect((await openRuntimeSettings(db)).get('publicReading')).toBe(false);
});
