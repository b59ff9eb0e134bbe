import { Command, CommanderError } from 'commander';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { openSiteSettings } from '#server/core/site-settings.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { eventually } from '#tests/support/eventually.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { SiteSetting } from '#shared/admin/settings.ts';
import { describeValues, settingSchema } from '#shared/core/settings/setting-schema.ts';
import { settingCatalogue, settingNames } from '#shared/core/setting-catalogue.ts';
import { settingCategoryNames, type SettingDefinition } from '#shared/core/settings/setting-definition.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { setRole } from './roles.ts';
import { changeSetting } from './settings.ts';
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
  expect(await settings('list')).toMatchObject({
    code: 0,
    out: expect.stringContaining('publicReading\tfalse\n'),
  });
  expect(await settings('set', 'publicReading', 'true')).toEqual({
    code: 0,
    out: 'publicReading is now true.\n',
    err: '',
  });
  expect((await settings('get', 'publicReading')).out).toBe('true\n');
  expect((await settings('set', 'publicReading', 'false')).code).toBe(0);
  expect((await settings('set', 'siteName', '  Baking  ')).out).toBe('siteName is now Baking.\n');
  expect((await settings('list')).out).toContain('siteName\tBaking\n');
});

test('explains the settings, and refuses unknown names and values that a setting cannot have', async () => {
  expect((await settings('--help')).out).toContain('publicReading: true or false (default false).');
  expect(await settings('get', 'publicWriting')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Allowed choices are siteName, '),
  });
  expect(await settings('set', 'publicReading', 'yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining("publicReading must be true or false, not 'yes'."),
  });
  expect((await settings('get', 'publicReading')).out).toBe('false\n');
});

test('is used by the node that changed it before the change responds', async () => {
  for (const value of [7, 8, 9]) {
    await changeSetting(db, { adminId: null, name: 'reviewFirstPosts', value });
    expect(server.siteSettings.get('reviewFirstPosts')).toBe(value);
  }
  await changeSetting(db, { adminId: null, name: 'reviewFirstPosts', value: 0 });
});

test('reaches every node by the event of its change', async () => {
  const node = await startCachingNode(server.database);
  try {
    const deliverEvents = await node.pauseEvents();
    await setSiteSetting(db, 'publicReading', true);
    expect(node.siteSettings.get('publicReading')).toBe(false);
    deliverEvents();
    await eventually(() => node.siteSettings.get('publicReading'));
    await setSiteSetting(db, 'publicReading', false);
    await eventually(() => !node.siteSettings.get('publicReading'));
  } finally {
    await node.stop();
  }
});

test('uses the default of a setting whose stored value is not valid', async () => {
  await sql`insert into site_setting (name, value) values ('publicReading', '"perhaps"'), ('unknown', '1')
    on conflict (name) do update set value = excluded.value`.execute(db);
  expect((await openSiteSettings(db)).get('publicReading')).toBe(false);
});

describe('admins', async () => {
  const admin = await server.register('Adele');
  await setRole(db, { email: admin.email, role: 'admin' });
  const read = async (name: string) =>
    (await admin.get<{ items: SiteSetting[] }>('/admin/settings')).body.items.find(
      (each) => each.name === name,
    );

  test('see what each setting accepts, and change it with an entry in the log', async () => {
    expect(await read('siteDescription')).toMatchObject({
      type: 'text',
      default: '',
      max: 200,
      changedAt: null,
    });
    expect((await admin.put('/admin/settings/siteDescription', { value: ' Bread. ' })).status).toBe(204);
    expect((await admin.put('/admin/settings/siteDescription', { value: 'Bread.' })).status).toBe(204);
    expect(await read('siteDescription')).toMatchObject({ value: 'Bread.', changedAt: expect.any(String) });
    const { items } = (await admin.get<ModerationLog>('/moderation/log')).body;
    // The second change had the same value.
    expect(items.filter(({ subject }) => subject === 'siteDescription')).toMatchObject([
      { action: 'setting', moderatorName: 'Adele', before: { value: '' }, after: { value: 'Bread.' } },
    ]);
  });

  test('undo a change, unless the setting was changed again', async () => {
    await admin.put('/admin/settings/siteName', { value: 'First' });
    await admin.put('/admin/settings/siteName', { value: 'Second' });
    const { items } = (await admin.get<ModerationLog>('/moderation/log')).body;
    const [second, first] = items.filter(({ subject }) => subject === 'siteName');
    const undo = (entryId: number | undefined) => admin.post('/admin/settings/undo', { entryId });
    expect((await undo(first?.id)).kind).toBe('already-handled');
    expect((await undo(second?.id)).status).toBe(204);
    expect((await read('siteName'))?.value).toBe('First');
    expect((await undo(second?.id)).kind).toBe('already-handled');
    expect((await undo(999_999_999)).kind).toBe('not-found');
  });

  test.each([
    ['siteName', '', 'Enter a text'],
    ['siteName', 'x'.repeat(41), 'Text must be 40 characters or fewer'],
    ['siteName', 'a\u0000b', 'The text contains characters that cannot be shown'],
    ['siteName', 7, 'Enter a text'],
    ['publicReading', 'true', 'Choose true or false'],
  ])('cannot set %s to %j', async (name, value, detail) => {
    const before = await read(name);
    expect(await admin.put(`/admin/settings/${name}`, { value })).toMatchObject({ status: 400, detail });
    expect(await read(name)).toEqual(before);
  });

  test('cannot set unknown settings', async () => {
    for (const name of ['nothing', 'toString', '__proto__'])
      expect((await admin.put(`/admin/settings/${name}`, { value: true })).status).toBe(404);
  });
});

test('docs/settings.md describes the catalogue', async () => {
  await expect(renderSettingsDocument()).toMatchFileSnapshot('../../../docs/settings.md');
});

test.each(settingNames)('the default of %s is a value that it accepts', (name) => {
  const definition = settingCatalogue[name];
  expect(settingSchema(definition).parse(definition.default)).toEqual(definition.default);
});

test('texts with a format are checked', () => {
  const base = { category: 'general', label: '', description: '', max: 80 } as const;
  const accepts = (definition: SettingDefinition, value: unknown) =>
    settingSchema(definition).safeParse(value).success;
  const colour: SettingDefinition = { ...base, type: 'text', default: '', format: 'colour' };
  expect(['', '#0f766e', '#0F766E', 'red', '#fff'].map((value) => accepts(colour, value))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  const links: SettingDefinition = { ...base, type: 'list', default: [], maxItems: 2, format: 'link' };
  const status = 'Status | https://status.example.org';
  expect(
    [[], [status], [''], ['Bad | javascript:alert(1)'], [status, status, status]].map((value) =>
      accepts(links, value),
    ),
  ).toEqual([true, true, false, false, false]);
  const count: SettingDefinition = { ...base, type: 'integer', default: 1, min: 1, max: 9 };
  expect([1, 9, 0, 1.5, '3', Number.NaN].map((value) => accepts(count, value))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

function renderSettingsDocument(): string {
  const sections = settingCategoryNames.map((category) => {
    const own = settingNames.filter((name) => settingCatalogue[name].category === category);
    const rows = own.map((name) => {
      const definition: SettingDefinition = settingCatalogue[name];
      const initial = JSON.stringify(definition.default);
      return `| \`${name}\` | ${definition.label}. ${definition.description} | ${describeValues(definition)} | \`${initial}\` |\n`;
    });
    return `## ${category[0]?.toUpperCase()}${category.slice(1)}\n\n| setting | meaning | values | default |\n| --- | --- | --- | --- |\n${rows.join('')}`;
  });
  return `# Site settings

Admins change these settings in the browser (**Site settings** in the account menu) or with \`parley settings set NAME VALUE\`, while Parley runs; every node uses the new value within about a second. Every change is in the moderation log with the old and the new value, and can be undone there. What belongs to the machine is in the environment ([operating.md](operating.md)).

This page is generated from \`src/shared/core/setting-catalogue.ts\` and the files in \`src/shared/core/settings\` by \`npm run documents\`; \`src/server/admin/settings.test.ts\` compares them.

${sections.join('\n')}`;
}
