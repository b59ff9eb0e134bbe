import { z } from 'zod';
import { time } from '#shared/core/fields.ts';

/** What runs: the section 'System' of the site settings. */
export const systemState = z.object({
  version: z.string(),
  /** The commit. Null if it is unknown. */
  revision: z.string().nullable(),
  migrations: z.object({
    applied: z.int(),
    /** The name of the latest one. */
    latest: z.string(),
    /** Of this version, and not applied: its files were replaced while it runs. */
    pending: z.array(z.string()),
    /** Applied by a newer version. */
    unknown: z.array(z.string()),
  }),
  /** The version of PostgreSQL. */
  postgresql: z.string(),
  /** The nodes that serve now, with their versions. */
  nodes: z.array(z.object({ name: z.string(), version: z.string() })),
  backups: z.object({
    /** Whether this node makes scheduled backups. */
    scheduled: z.boolean(),
    lastSuccess: time.nullable(),
    /** Why the latest backup failed, or what its verification found. */
    problem: z.string().nullable(),
  }),
  /** Scheduled exports of what members can see. */
  exports: z.object({
    /** Whether this node makes them. */
    scheduled: z.boolean(),
    lastSuccess: time.nullable(),
    /** Why the latest export failed. */
    problem: z.string().nullable(),
  }),
  /** Where this node moves the files of pictures, and how many are not there yet. */
  pictures: z.object({ store: z.enum(['database', 's3']), waiting: z.int() }),
  /** Whether there is a mail server. */
  email: z.boolean(),
});
export type SystemState = z.infer<typeof systemState>;
