import { Command, InvalidArgumentError } from 'commander';
import { registerFill } from './fill/command.ts';
import { registerMeasure } from './measure/command.ts';

/** `npm run bench -- …`: creates communities of any size, and measures pages and actions in them. */
const program = new Command('bench')
  .description('fill a database with a community of any size, and measure the cost of pages and actions')
  .showHelpAfterError();
registerFill(program);
registerMeasure(program);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof InvalidArgumentError) throw error;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
