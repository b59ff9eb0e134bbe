import type { MemberCommandDeps, Output } from '#server/core/progress.ts';
import { Argument, type Command, Option } from 'commander';
import type { Database } from '#server/core/database.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import { type Role, role as roles } from '#shared/identity/accounts.ts';
import { listMembersWithRole, setRole } from './roles.ts';

/** Adds `member role` and `member list`, and returns their group. There is no other way to become an operator. */
export function addMemberCommands(
  program: Command,
  { withDatabase, out, exitWith }: MemberCommandDeps,
): Command {
  const group = program.command('member').description('what members may do, and who they are');
  group
    .command('role')
    .description('make a member an operator, who takes care of the community, or a member again')
    .argument('<email>', 'the address they sign in with')
    .addArgument(new Argument('<role>', 'what they are from now on').choices(roles.options))
    .addHelpText('after', '\nIt holds at once, on every node. Exit codes: 0 done; 1 nobody has the address.')
    .action(async (email: string, role: Role) => {
      const found = await withDatabase((db) => changeRole(db, { email, role }));
      out.write(found ? `${email} is ${roleNames[role]} now.\n` : `Nobody has the address ${email}.\n`);
      exitWith(found ? 0 : 1);
    });
  group
    .command('list')
    .description('list the members with a role')
    .addOption(new Option('--role <role>', 'which').choices(roles.options).default('operator'))
    .action(async ({ role }: { role: Role }) => {
      await withDatabase((db) => listMembers(db, role, out));
    });
  return group;
}

const roleNames: Readonly<Record<Role, string>> = { member: 'a member', operator: 'an operator' };

async function changeRole(db: Database, wanted: { email: string; role: Role }): Promise<boolean> {
  const found = await setRole(db, wanted);
  // This process ends before it would wake the nodes by itself.
  if (found) await notifyNodes(db, eventChannel, '');
  return found;
}

/** One a line, a page at a time: a community may have millions. */
async function listMembers(db: Database, role: Role, out: Output): Promise<void> {
  let after = 0;
  for (;;) {
    const members = await listMembersWithRole(db, { role, after, limit: 1_000 });
    for (const { email, name } of members) out.write(`${email}\t${name}\n`);
    const last = members.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
