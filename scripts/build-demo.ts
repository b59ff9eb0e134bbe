/**
 * Writes the demo data (`demo/*.xml`) from the Markdown files in `demo/source`. The output is deterministic, so that a
 * rebuild without changes leaves no diff. Nothing is written if the source has an error or the archive is inconsistent.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildArchive } from './demo/build-archive.ts';
import { checkArchive } from './demo/check-archive.ts';
import { type DemoMember, type DemoQuestion, parseMembers, parseQuestion } from './demo/source.ts';

const demoDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', 'demo');
const sourceDirectory = join(demoDirectory, 'source');
const membersFile = 'members.md';

const members = parseMembers(membersFile, await readFile(join(sourceDirectory, membersFile), 'utf8'));
const questions = await readQuestions(members);
const archive = buildArchive(members, questions);

const contradictions = checkArchive(archive);
if (contradictions.length > 0) {
  console.error(`Nothing was written, because the archive is inconsistent:`);
  for (const contradiction of contradictions) console.error(`  ${contradiction}`);
  process.exit(1);
}

await mkdir(demoDirectory, { recursive: true });
for (const [name, text] of archive) await writeFile(join(demoDirectory, name), text);
const bytes = [...archive.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
console.log(
  `${questions.length} questions, ${questions.flatMap((question) => question.answers).length} answers and ` +
    `${members.length} members in ${archive.size} files, ${Math.round(bytes / 1024)} KiB`,
);

async function readQuestions(known: DemoMember[]): Promise<DemoQuestion[]> {
  const names = (await readdir(sourceDirectory)).filter((name) => /^\d{3}-.+\.md$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) =>
      parseQuestion(name, await readFile(join(sourceDirectory, name), 'utf8'), known),
    ),
  );
}
