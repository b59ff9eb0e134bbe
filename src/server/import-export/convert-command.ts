import { type Command, Option } from 'commander';
import type { ConvertOptions, ConvertSummary } from './convert.ts';
import { type CommandParts, runCommand } from './import-command.ts';
import { runInSession } from './import-session.ts';
import { writeNewDirectory } from './new-directory.ts';
import { formatNumber } from './stack-exchange-tally.ts';

/** Adds `convert` with a command for each kind of forum. A command loads only its own converter. */
export function registerConvertCommand(program: Command, parts: CommandParts): void {
  const group = program
    .command('convert')
    .description('write the data of another forum as JSON lines, for import jsonl');
  const add = (
    name: string,
    [argument, what]: readonly [name: string, description: string],
    load: () => Promise<(options: ConvertOptions) => Promise<ConvertSummary>>,
  ) =>
    group
      .command(name)
      .argument(`<${argument}>`, what)
      .argument('<directory>', 'a new directory for the JSON lines')
      .addHelpText('after', help)
      .action(async (input: string, directory: string, flags: Flags) =>
        run(await load(), { input, directory, ...flags }, parts),
      );
  add(
    'csv',
    ['mapping', 'the mapping file; the CSV files are named relative to it'],
    async () => (await import('./convert-csv.ts')).convertCsv,
  ).description('convert CSV files of a forum, such as phpBB, as a mapping file describes them');
  add(
    'discourse',
    ['dump', 'dump.sql or dump.sql.gz of the backup'],
    async () => (await import('./convert-discourse.ts')).convertDiscourse,
  )
    .description('convert the SQL dump in a backup of Discourse')
    .requiredOption('--site <address>', 'address of the forum, such as https://forum.example.org');
  add(
    'question2answer',
    ['dump', 'the output of mysqldump, also with the ending .gz'],
    async () => (await import('./convert-question2answer.ts')).convertQuestion2Answer,
  )
    .description('convert an SQL dump of the MySQL database of Question2Answer')
    .requiredOption('--site <address>', 'address of the site, such as https://qa.example.org')
    .option('--prefix <prefix>', 'what the names of the tables begin with', 'qa_');
  add(
    'apache-answer',
    ['dump', 'the output of mysqldump, pg_dump or "sqlite3 .dump", also with the ending .gz'],
    async () => (await import('./convert-apache-answer.ts')).convertApacheAnswer,
  )
    .description('convert an SQL dump of the database of Apache Answer: MySQL, PostgreSQL or SQLite')
    .requiredOption('--site <address>', 'address of the site, such as https://ask.example.org');
  add(
    'nodebb',
    [
      'file',
      'the output of pg_dump, or of mongoexport of the collection "objects", also with the ending .gz',
    ],
    async () => (await import('./convert-nodebb.ts')).convertNodebb,
  )
    .description('convert the database of NodeBB: PostgreSQL or MongoDB')
    .requiredOption('--site <address>', 'address of the forum, such as https://forum.example.org')
    .addOption(
      new Option('--format <format>', 'of the texts; composers that show styles store HTML')
        .choices(['markdown', 'html'])
        .default('markdown'),
    );
  add(
    'github',
    ['file', 'the output of the query: one discussion per line'],
    async () => (await import('./convert-github.ts')).convertGithub,
  ).description('convert the discussions of a repository, as the query in docs/importing.md returns them');
}

type Flags = Pick<ConvertOptions, 'site' | 'prefix' | 'format'>;

const help = `
docs/importing.md describes the files. Rows are sorted in temporary tables of the community's database, which does not
change. "parley import jsonl DIRECTORY" then imports the files; try it with --dry-run first.

Exit codes: 0 converted; 1 the files were refused; 130 interrupted. With 1 and 130, no files are left.
A directory whose name ends in .partial-… is left if the command is killed; delete it.`;

function run(
  convert: (options: ConvertOptions) => Promise<ConvertSummary>,
  given: Pick<ConvertOptions, 'input' | 'directory'> & Flags,
  parts: CommandParts,
): Promise<void> {
  return runCommand(parts, {
    effect: 'Nothing was written.',
    async run({ signal, print, createProgress }) {
      const summary = await parts.withClient((client) =>
        writeNewDirectory({ directory: given.directory, isPrivate: true }, (directory) =>
          runInSession({ client, signal }, () =>
            convert({
              ...given,
              directory,
              client,
              reading: createProgress(),
              writing: createProgress('rows written'),
              signal,
            }),
          ),
        ),
      );
      print(describe(summary, given.directory));
    },
  });
}

function describe({ site, files, written, remarks }: ConvertSummary, directory: string): string[] {
  const counts = Object.entries(written).map(([kind, rows]) => `${kind} ${formatNumber(rows)}`);
  return [
    ...files.flatMap((file) => [
      `${file.file}: ${formatNumber(file.read)} rows read, ${formatNumber(file.converted)} converted`,
      ...file.leftOut.map(({ reason, rows }) => `  ${formatNumber(rows)} left out: ${reason}`),
    ]),
    ...remarks.map((remark) => `Note: ${remark}.`),
    `Written: ${counts.join(', ')}.`,
    `Import the files with: parley import jsonl ${directory} --site ${site} --license NAME`,
  ];
}
