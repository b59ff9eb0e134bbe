import { createHash, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ClientBase } from 'pg';
import { ProblemError } from '#server/core/errors.ts';
import { encodePicture } from '#server/posts/index.ts';
import { limits } from '#shared/core/limits.ts';
import { getUploadPath } from '#shared/core/uploads.ts';
import { refusals } from './imported-pictures.ts';
import { lineError, type NumberedRow } from './jsonl-files.ts';
import type { LineRow } from './jsonl-format.ts';
import { postKinds } from './jsonl-tables.ts';
import { unreadableError } from './stack-exchange-errors.ts';
import type { RowTally } from './stack-exchange-tally.ts';

type PictureRow = NumberedRow<LineRow<'pictures'>>;

type PictureStage = {
  client: ClientBase;
  directory: string;
  /** Gets the address of each picture that texts name by its file. */
  paths: Map<string, string>;
  tally: RowTally;
  signal: AbortSignal | undefined;
};

/**
 * Decodes pictures, encodes them like uploaded ones, and copies them to the staging tables. A picture of an export keeps
 * its name, so that the texts stay as they are.
 * @throws ArchiveError for a file that is missing
 */
export async function stagePictures(stage: PictureStage, rows: readonly PictureRow[]): Promise<void> {
  for (const each of rows) {
    stage.signal?.throwIfAborted();
    await stagePicture(stage, each);
  }
}

async function stagePicture({ client, directory, paths, tally }: PictureStage, { line, row }: PictureRow) {
  const isExported = row.width !== undefined && row.height !== undefined && /^[\w-]{22}$/u.test(row.name);
  const file = isExported ? `${row.name}/${row.width}x${row.height}.webp` : row.name;
  const bytes = await readPicture(path.join(directory, 'pictures', file), line, file);
  if (bytes === null) return tally.skip('larger than 10 MB');
  const { rows: avatars } = await client.query('select from line_member where avatar = $1 limit 1', [
    row.name,
  ]);
  const kind = avatars.length > 0 ? 'avatar' : 'picture';
  try {
    const files = await encodePicture(bytes, kind);
    const size = files.at(-1);
    if (size === undefined) throw new Error('the encoder returned no file');
    const name = isExported ? row.name : randomBytes(16).toString('base64url');
    await client.query(
      `insert into line_picture (line, original, name, member, kind, content_hash, width, height)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        line,
        row.name,
        name,
        row.memberId ?? null,
        kind,
        createHash('sha256').update(bytes).digest(),
        size.width,
        size.height,
      ],
    );
    for (const { width, height, content } of files)
      await client.query('insert into line_picture_file values ($1, $2, $3, $4)', [
        name,
        width,
        height,
        Buffer.from(content),
      ]);
    if (!isExported) paths.set(`pictures/${row.name}`, getUploadPath({ ...size, name }));
  } catch (error) {
    const refusal = error instanceof ProblemError ? refusals[error.code] : undefined;
    if (refusal === undefined) throw error;
    tally.skip(refusal);
  }
}

/** Returns null for a file that is larger than an upload may be. */
async function readPicture(file: string, line: number, name: string): Promise<Buffer | null> {
  try {
    return (await stat(file)).size > limits.uploadBytes ? null : await readFile(file);
  } catch (error) {
    throw lineError(
      'pictures.jsonl',
      line,
      unreadableError(`pictures/${name}`, error).message.replace(/\.$/u, ''),
    );
  }
}

/**
 * Stores the staged pictures, and shows avatars. A picture with a name that exists here is this picture. Runs after the
 * members and posts were added.
 */
export async function addPictures(client: ClientBase): Promise<number> {
  const added = await client.query(`
    with added as (
      insert into upload (name, member_id, kind, content_hash, width, height, bytes)
      select picture.name, author.id, kind, content_hash, width, height,
        (select sum(octet_length(content)) from line_picture_file file where file.name = picture.name)
      from line_picture picture left join line_author author on author.key = picture.member
      order by picture.line
      on conflict do nothing
      returning id, name)
    update line_picture set new_id = added.id, is_new = true from added where added.name = line_picture.name`);
  await client.query(`
    insert into upload_file (upload_id, width, height, content)
    select new_id, file.width, file.height, content
    from line_picture picture join line_picture_file file using (name) where is_new;
    update line_picture set new_id = upload.id from upload where new_id is null and upload.name = line_picture.name;
    update member set avatar = chosen.name
    from (
      select distinct on (picture.name) picture.name, staged.new_id
      from line_member staged join line_picture picture on picture.original = staged.avatar and picture.is_new
      where staged.is_new and picture.kind = 'avatar' order by picture.name, staged.line
    ) chosen
    where member.id = chosen.new_id;`);
  for (const [name, kind] of Object.entries(postKinds))
    await client.query(
      `insert into upload_reference (upload_id, ${name}_id)
       select distinct picture.new_id, written.new_id
       from (
         select new_id, content from line_post where kind = $1 and is_new and has_pictures
         union all
         select post.new_id, revision.content
         from line_revision revision join line_post post on (post.kind, post.id) = (revision.kind, revision.post)
         where post.kind = $1 and post.is_new and strpos(revision.content, '/uploads/') > 0
       ) written
       cross join lateral regexp_matches(written.content, '/uploads/([A-Za-z0-9_-]{22})/', 'g') as shown (names)
       join line_picture picture on picture.name = shown.names[1] and picture.new_id is not null
       on conflict do nothing`,
      [kind],
    );
  return added.rowCount ?? 0;
}
