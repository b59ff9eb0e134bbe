import { Argument, type Command } from 'commander';
import type { Database } from '#server/core/database.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import type { MemberCommandDeps } from '#server/core/progress.ts';
import {
  readRuntimeSettings,
  runtimeSettingDefinitions,
  type RuntimeSettingName,
  runtimeSettingNames,
  setRuntimeSetting,
} from '#server/core/runtime-settings.ts';

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
      `\nThe settings:\n${runtimeSettingNames.map(describeSetting).join('\n')}\n\nAll other settings are in the environment; .env.example explains them.`,
    );
  group
    .command('list')
    .description('list the site settings with their values')
    .action(async () => {
      const values = await withDatabase(readRuntimeSettings);
      for (const name of runtimeSettingNames) out.write(`${name}\t${format(values[name])}\n`);
    });
  group
    .command('get')
    .description('print the value of a setting')
    .addArgument(nameArgument())
    .addHelpText('after', exitCodes)
    .action(async (name: RuntimeSettingName) => {
      const values = await withDatabase(readRuntimeSettings);
      out.write(`${format(values[name])}\n`);
    });
  const set = group
    .command('set')
    .description('change a setting, on every node, within about a second')
    .addArgument(nameArgument())
    .argument('<value>', 'the new value')
    .addHelpText('after', `\nExample: parley settings set publicReading true\n${exitCodes}`)
    .action(async (name: RuntimeSettingName, text: string) => {
      const { schema, values } = runtimeSettingDefinitions[name];
      const value = schema.safeParse(parseValue(text));
      if (!value.success) set.error(`error: ${name} must be ${values}, not '${text}'.`, { exitCode: 2 });
      else {
        await withDatabase((db) => changeSetting(db, () => setRuntimeSetting(db, name, value.data)));
        out.write(`${name} is now ${format(value.data)}.\n`);
      }
    });
}

const nameArgument = () => new Argument('<name>', 'the name of the setting').choices(runtimeSettingNames);

function describeSetting(name: RuntimeSettingName): string {
  const { description, values, initial } = runtimeSettingDefinitions[name];
  return `  ${name}: ${values} (default ${format(initial)}). ${description}`;
}

/** Values are JSON; any other text is a string. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const format = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

async function changeSetting(db: Database, change: () => Promise<void>): Promise<void> {
  await change();
  // The process would exit before its own notification is sent.
  await notifyNodes(db, eventChannel, '');
}
