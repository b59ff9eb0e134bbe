import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { projectRoot } from '#server/core/paths.ts';
import { webhookEvents } from '#shared/integrations/webhook-events.ts';
import { eventually } from '#tests/support/eventually.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { expectOk } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';

vi.setConfig({ testTimeout: 30_000 });

const document = await readFile(path.join(projectRoot, 'docs/webhooks.md'), 'utf8');
const server = await startTestServer(
  { webhookHosts: ['127.0.0.1'] },
  { webhooks: { pollMs: 50, firstRetryMs: 100 }, runsScheduledJobs: false },
);
const admin = await server.register('Adele');
await setRole(server.db, { email: admin.email, role: 'admin' });

let directory: string;
const receivers: ChildProcess[] = [];
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'parley-webhooks-'));
  // Where the example finds the library.
  await symlink(path.join(projectRoot, 'node_modules'), path.join(directory, 'node_modules'));
});
afterAll(async () => {
  for (const receiver of receivers) receiver.kill();
  await server.stop();
  await rm(directory, { recursive: true });
});

test.each([
  ['ts', process.execPath],
  ['python', 'python3'],
])(
  'the example in %s verifies what Parley sends, and refuses a wrong signature',
  async (language, program) => {
    const example = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'su').exec(document)?.[1] ?? '';
    const file = path.join(directory, `receiver.${language === 'ts' ? 'mts' : language}`);
    await writeFile(file, example);
    const address = `http://127.0.0.1:${await findFreePort()}/`;
    const hook = { name: language, address, format: 'standard', events: ['question.posted'], tags: [] };
    const { id, secret } = expectOk(
      await admin.post<{ id: number; secret: string }>('/admin/webhooks', hook),
    );
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: new URL(address).port };
    const receiver = spawn(program, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    receivers.push(receiver);
    let output = '';
    receiver.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    // The first attempts may find nobody; they are repeated.
    await admin.ask({ title: `How is ${language} bread baked?` });
    await eventually(() => output.includes(`question.posted How is ${language} bread baked?`));
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}`,
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    };
    const forged = await fetch(address, { method: 'POST', headers, body: '{"type":"forged","data":{}}' });
    expect(forged.status).toBe(400);
    expect(output).not.toContain('forged');
    expectOk(await admin.delete(`/admin/webhooks/${id}`));
  },
);

test('the table names every event', () => {
  const table = document.slice(document.indexOf('| event |'), document.indexOf('When a question is removed'));
  const named = [...table.matchAll(/^\|([^|]+)\|/gmu)].flatMap(([, cell]) => [
    ...(cell ?? '').matchAll(/`([\w.]+)`/gu),
  ]);
  expect(new Set(named.map(([, name]) => name))).toEqual(new Set([...webhookEvents, 'webhook.test']));
});
