import './lib/node-version.mjs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runNpm } from './lib/install.mjs';
import { Failure, project, runScript } from './lib/project.mjs';

/**
 * `npm run sbom`: writes the software bill of materials (CycloneDX) of package-lock.json to dist/sbom.cdx.json: every
 * package with version, licence and checksum. Development dependencies are marked as such. They include the browser's
 * libraries, which the build bundles.
 */
await runScript(async () => {
  const { code, output } = await runNpm([
    'sbom',
    '--sbom-format=cyclonedx',
    '--package-lock-only',
    '--sbom-type=application',
  ]);
  const begin = output.indexOf('{');
  if (code !== 0 || begin === -1) throw new Failure(output.trim() || 'npm returned no bill of materials.');
  const bill = JSON.parse(output.slice(begin, output.lastIndexOf('}') + 1));
  const file = path.join(project, 'dist/sbom.cdx.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
  console.log(`Wrote ${bill.components.length} packages to dist/sbom.cdx.json.`);
  return 0;
});
