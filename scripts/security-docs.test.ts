import { projectRoot } from '#server/core/paths.ts';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const table = readFileSync(path.join(projectRoot, 'docs/security.md'), 'utf8');

test('docs/security.md names only files that exist', () => {
  const named = [...table.matchAll(/`((?:src|tests|bench|scripts)\/[^`\s]+)`/gu)].map(
    ([, file = '']) => file,
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((file) => !existsSync(path.join(projectRoot, file)))).toEqual([]);
});

test('docs/security.md quotes only test titles that the named file contains', () => {
  const named = [...table.matchAll(/`((?:src|tests)\/[^`\s]+)` › ([^;|`]+?)(?=[;|.]|, `| \|)/gu)];
  expect(named.length).toBeGreaterThan(8);
  const missing = named.filter(([, file = '', title = '']) => {
    const text = readFileSync(path.join(projectRoot, file), 'utf8').replaceAll('\\', '');
    return !text.includes(title.trim());
  });
  expect(missing.map(([whole]) => whole)).toEqual([]);
});

/** Statements that import only types are left out. */
const withoutTypeImports = (code: string) => code.replaceAll(/^import type [^;]*;/gmu, '');

/** The name of a module where code loads it: also by `import()` and `require()`. */
const loads = (names: string) =>
  new RegExp(`(?:from |(?:import|require|getBuiltinModule)\\()['"\`](?:node:)?(?:${names})['"\`]`, 'u');
const programs = loads('child_process');
const startsPrograms = (code: string) => programs.test(withoutTypeImports(code));

const clients = loads('https|http2|tls|dgram|nodemailer|openid-client|undici|@aws-sdk/client-s3');
/** `node:http` and `node:net` also have servers and functions for addresses, which most files import by name. */
const clientImports =
  /import (?:\w|\*|\{[^}]*\b(?:request|get|connect|createConnection|Socket|Agent)\b)[^;]*? from ['"`](?:node:)?(?:http|net)['"`]|(?:import|require|getBuiltinModule)\(['"`](?:node:)?(?:http|net)['"`]\)/u;
const webClients = /(?<![\w.])fetch\(|= fetch\b|globalThis\.fetch\b|new (?:WebSocket|EventSource)\(/u;

const connects = (code: string) =>
  [clients, clientImports, webClients].some((pattern) => pattern.test(withoutTypeImports(code)));

/** Files of the server without tests. */
function listFiles(hasCode: (code: string) => boolean): string[] {
  return globSync('src/server/**/*.ts', { cwd: projectRoot })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => hasCode(readFileSync(path.join(projectRoot, file), 'utf8')))
    .toSorted();
}

test.each([
  `import { fork } from 'node:child_process';`,
  `import {\n  type ChildProcess,\n  spawn,\n} from 'node:child_process';`,
  `const { exec } = await import('node:child_process');`,
  `const { exec } = require("child_process");`,
  `process.getBuiltinModule('node:child_process').exec('ls');`,
])('finds code that starts programs: %s', (code) => expect(startsPrograms(code)).toBe(true));

test.each([
  `import https from 'node:https';`,
  `import http, { type IncomingMessage } from 'node:http';`,
  `import * as net from 'node:net';`,
  `import { request } from 'node:http';`,
  `import {\n  connect,\n  isIP,\n} from 'node:net';`,
  `const { connect } = await import('node:net');`,
  `const tls = await import('node:tls');`,
  `const { default: nodemailer } = await import('nodemailer');`,
  `await fetch(address);`,
  `await globalThis.fetch(address);`,
  `const socket = new WebSocket(address);`,
])('finds code that connects to other hosts: %s', (code) => expect(connects(code)).toBe(true));

test.each([
  `import type { ChildProcess } from 'node:child_process';`,
  `import type { Socket } from 'node:net';\nimport { isIP } from 'node:net';`,
  `import { createServer, type IncomingMessage } from 'node:http';`,
  `await app.fetch(request);`,
])('leaves out other code: %s', (code) =>
  expect([startsPrograms(code), connects(code)]).toEqual([false, false]),
);

test('only listed files start programs', () => {
  expect(listFiles(startsPrograms)).toEqual([
    'src/server/core/limited-process.ts',
    'src/server/import-export/stack-exchange-packed.ts',
    'src/server/operations/system.ts',
    'src/server/postgres/embedded-account.ts',
    'src/server/postgres/embedded-cluster.ts',
    'src/server/postgres/embedded-orphan-cleanup.ts',
    'src/server/postgres/embedded-postmaster.ts',
  ]);
});

test('only listed files connect to other hosts', () => {
  expect(listFiles(connects)).toEqual([
    // The other network stack of this node's own port.
    'src/server/core/http-server.ts',
    'src/server/core/mailer.ts',
    'src/server/core/object-store.ts',
    // Web hooks, claims of profiles, and pictures of imported posts.
    'src/server/core/outgoing-request.ts',
    'src/server/core/web-push.ts',
    'src/server/identity/oidc-client.ts',
    // parley email reply: a node of this community.
    'src/server/notifications/email-replies.ts',
    // parley doctor: the own public address.
    'src/server/operations/doctor-check-settings.ts',
    // A free port for the own PostgreSQL.
    'src/server/postgres/embedded.ts',
    // The replicas of the operator.
    'src/server/postgres/replica-connections.ts',
  ]);
});
