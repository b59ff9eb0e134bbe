import { Argument, type Command } from 'commander';
import type { Database } from '#server/core/database.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import type { MemberCommandDeps } from '#server/core/progress.ts';
import { readSiteSettings } from '#server/core/site-settings.ts';
import { describeValues } from '#shared/core/settings/setting-schema.ts';
import { settingCatalogue, type SettingName, settingNames } from '#shared/core/setting-catalogue.ts';
import type { SettingDefinition } from '#shared/core/settings/setting-definition.ts';
import { ProblemError } from '#server/core/errors.ts';
import { changeSetting } from './settings.ts';

const exitCodes = '\nExit codes: 0 done; 2 no such setting, or a value that it cannot have.';

/** Adds `settings list`, `settings get` and `settings set`. */
export function addSettingsCommands(
  program: Command,
  { withDatabase, out }: Pick<MemberCommandDeps, 'withDatabase' | 'out'>,
): void {
  const group = program
    .command('settings')
    .description('show and change site settings while Parley runs')
    .addHelpText(
      'after',
      `\nThe settings:\n${settingNames.map(describeSetting).join('\n')}\n\nAll other settings are in the environment; .env.example explains them.`,
    );
  group
    .command('list')
    .description('list the site settings with their values')
    .action(async () => {
      const values = await withDatabase(readSiteSettings);
      for (const name of settingNames) out.write(`${name}\t${format(values[name])}\n`);
    });
  group
    .command('get')
    .description('print the value of a setting')
    .addArgument(nameArgument())
    .addHelpText('after', exitCodes)
    .action(async (name: SettingName) => {
      const values = await withDatabase(readSiteSettings);
      out.write(`${format(values[name])}\n`);
    });
  const set = group
    .command('set')
    .description('change a setting, on every node, within about a second')
    .addArgument(nameArgument())
    .argument('<value>', 'the new value')
    .addHelpText('after', `\nExample: parley settings set publicReading true\n${exitCodes}`)
    .action(async (name: SettingName, text: string) => {
      const value = parseValue(text, settingCatalogue[name].type);
      const stored = await withDatabase((db) => changeAndNotify(db, { name, value })).catch(
        (error: unknown) => {
          if (!(error instanceof ProblemError)) throw error;
          const values = describeValues(settingCatalogue[name]);
          return set.error(`error: ${name} must be ${values}, not '${text}'.`, { exitCode: 2 });
        },
      );
      out.write(`${name} is now ${format(stored)}.\n`);
    });
}

const nameArgument = () => new Argument('<name>', 'the name of the setting').choices(settingNames);

function describeSetting(name: SettingName): string {
  const definition = settingCatalogue[name];
  return `  ${name}: ${describeValues(definition)} (default ${format(definition.default)}). ${definition.description}`;
}

/** Texts are written as they are, all other values as JSON. */
function parseValue(text: string, type: SettingDefinition['type']): unknown {
  if (type === 'text' || type === 'markdown' || type === 'choice') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const format = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the value as stored, such as trimmed. */
async function changeAndNotify(
  db: Database,
  change: { name: SettingName; value: unknown },
): Promise<unknown> {
  await changeSetting(db, { adminId: null, ...change });
  // The process would exit before its own notification is sent.
  await notifyNodes(db, eventChannel, '');
  const { [change.name]: stored } = await readSiteSettings(db);
  return stored;
}
