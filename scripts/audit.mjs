import './lib/node-version.mjs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runNpm } from './lib/install.mjs';
import { project, runScript } from './lib/project.mjs';
import { checkSupplyChain } from './lib/supply-chain.mjs';

/**
 * `npm run audit`: checks the dependencies by the project's own files, then by the registry's security advisories.
 * If the registry does not respond, it prints a notice, and fails only with --strict.
 */
await runScript(async () => {
  /** @param {string} name */
  const read = (name) => readFile(path.join(project, name), 'utf8');
  const [manifest, lock, settings] = await Promise.all(
    ['package.json', 'package-lock.json', '.npmrc'].map(read),
  );
  const parsed = JSON.parse(lock ?? '');
  const wrong = checkSupplyChain(JSON.parse(manifest ?? ''), parsed, settings ?? '');
  for (const each of wrong) console.error(`✗ ${each}`);
  const count = Object.keys(parsed.packages).length - 1;
  if (wrong.length === 0) console.log(`✓ ${count} packages: exact versions, checksums, licences, no scripts`);
  const known = await advisories();
  return wrong.length === 0 && known ? 0 : 1;
});

/**
 * Returns false for a known vulnerability of moderate or higher severity or, with --strict, if the registry does not
 * respond.
 */
async function advisories() {
  const { output } = await runNpm(['audit', '--audit=true', '--audit-level=moderate', '--json']);
  const jsonStart = output.indexOf('{');
  const report = JSON.parse(jsonStart === -1 ? '{}' : output.slice(jsonStart, output.lastIndexOf('}') + 1));
  const counts = report.metadata?.vulnerabilities;
  if (counts === undefined) {
    const reason = report.message ?? report.error?.summary ?? 'no reason given';
    console.log(`NOT CHECKED: the registry returned no security advisories (${reason}).`);
    return !process.argv.includes('--strict');
  }
  for (const { name, severity, range } of Object.values(report.vulnerabilities ?? {}))
    console.log(`${severity}: ${name} ${range}`);
  const severe = counts.moderate + counts.high + counts.critical;
  console.log(
    `${severe === 0 ? '✓' : '✗'} ${counts.total} known vulnerabilities, ${severe} of them moderate or worse`,
  );
  return severe === 0;
}
