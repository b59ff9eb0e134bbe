import './lib/node-version.mjs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runNpm } from './lib/install.mjs';
import { project, runScript } from './lib/project.mjs';
import { checkSupplyChain } from './lib/supply-chain.mjs';

/**
 * `npm run audit`: checks what Parley is made of, first by its own files, then by what the registry knows of weaknesses.
 * Without a registry that tells, it says so, and fails only with --strict.
 */
await runScript(async () => {
  /** @param {string} name */
  const read = (name) => readFile(path.join(project, name), 'utf8');
  const [wishes, lock, settings] = await Promise.all(
    ['package.json', 'package-lock.json', '.npmrc'].map(read),
  );
  const parsed = JSON.parse(lock ?? '');
  const wrong = checkSupplyChain(JSON.parse(wishes ?? ''), parsed, settings ?? '');
  for (const each of wrong) console.error(`✗ ${each}`);
  const count = Object.keys(parsed.packages).length - 1;
  if (wrong.length === 0) console.log(`✓ ${count} packages: exact versions, checksums, licences, no scripts`);
  const known = await advisories();
  return wrong.length === 0 && known ? 0 : 1;
});

/** False where a weakness of consequence is known, or, with --strict, where nobody can be asked. */
async function advisories() {
  const { output } = await runNpm(['audit', '--audit=true', '--audit-level=moderate', '--json']);
  const begin = output.indexOf('{');
  const report = JSON.parse(begin === -1 ? '{}' : output.slice(begin, output.lastIndexOf('}') + 1));
  const counts = report.metadata?.vulnerabilities;
  if (counts === undefined) {
    const reason = report.message ?? report.error?.summary ?? 'it does not say why';
    console.log(`NOT LOOKED UP: the registry tells of no known weaknesses (${reason}).`);
    return !process.argv.includes('--strict');
  }
  for (const { name, severity, range } of Object.values(report.vulnerabilities ?? {}))
    console.log(`${severity}: ${name} ${range}`);
  const grave = counts.moderate + counts.high + counts.critical;
  console.log(
    `${grave === 0 ? '✓' : '✗'} ${counts.total} known weaknesses, ${grave} of them moderate or worse`,
  );
  return grave === 0;
}
