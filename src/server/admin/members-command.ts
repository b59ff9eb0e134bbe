import type { MemberCommandDeps, Output } from '#server/core/progress.ts';
import { Argument, type Command, Option } from 'commander';
import type { Database } from '#server/core/database.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import { type Role, roleNames } from '#shared/identity/roles.ts';
import { listMembersWithRole, setRole } from './roles.ts';

/**
 * Adds `member role` and `member list`, and returns the command group `member`. The first moderator is appointed with
 * it.
 */
export function addMemberCommands(
  program: Command,
  { withDatabase, out, exitWith }: MemberCommandDeps,
): Command {
  const group = program.command('member').description('manage members and their roles');
  group
    .command('role')
    .description('change the role of a member')
    .argument('<email>', 'email address of the member')
    .addArgument(new Argument('<role>', 'the new role').choices(roleNames))
    .addHelpText(
      'after',
      '\nThe role applies immediately, on every node. Exit codes: 0 done; 1 no member has the address.',
    )
    .action(async (email: string, role: Role) => {
      const exists = await withDatabase((db) => changeRole(db, { email, role }));
      out.write(exists ? `${email} is now ${roleTexts[role]}.\n` : `No member has the address ${email}.\n`);
      exitWith(exists ? 0 : 1);
    });
  group
    .command('list')
    .description('list the members with a role')
    .addOption(new Option('--role <role>', 'the role').choices(roleNames).default('moderator'))
    .action(async ({ role }: { role: Role }) => {
      await withDatabase((db) => listMembers(db, role, out));
    });
  return group;
}

const roleTexts: Readonly<Record<Role, string>> = {
  member: 'a member',
  moderator: 'a moderator',
  admin: 'an admin',
};

async function changeRole(db: Database, wanted: { email: string; role: Role }): Promise<boolean> {
  const exists = await setRole(db, wanted);
  // The process would exit before its own notification is sent.
  if (exists) await notifyNodes(db, eventChannel, '');
  return exists;
}

/** Prints one member per line and reads them page by page, because a community can have millions. */
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
