import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ClientBase } from 'pg';
import { ProblemError } from '#server/core/errors.ts';
import { getErrorCode } from '#server/core/startup-error.ts';
import { encodePicture } from '#server/posts/index.ts';
import { limits } from '#shared/core/limits.ts';
import { getUploadPath } from '#shared/core/uploads.ts';
import { refusals } from './imported-pictures.ts';
import type { NumberedRow } from './json-lines.ts';
import { lineError } from './jsonl-files.ts';
import type { LineRow } from './jsonl-format.ts';
import { postKinds } from './jsonl-tables.ts';
import { unreadableError } from './stack-exchange-errors.ts';
import type { RowTally } from './stack-exchange-tally.ts';

type PictureRow = NumberedRow<LineRow<'pictures'>>;

type PictureStage = {
  client: ClientBase;
  directory: string;
  /** The name of the source. */
  site: string;
  /** Gets the address of each picture that texts name by its file. */
  paths: Map<string, string>;
  tally: RowTally;
  signal: AbortSignal | undefined;
};

/**
 * Decodes pictures, encodes them like uploaded ones, and copies them to the staging tables. A picture of an export keeps
 * its name, so that the texts stay as they are; its file is missing if it was deleted while the export ran.
 * @throws ArchiveError for a file that is missing in other directories
 */
export async function stagePictures(stage: PictureStage, rows: readonly PictureRow[]): Promise<void> {
  for (const each of rows) {
    stage.signal?.throwIfAborted();
    await stagePicture(stage, each);
  }
}

async function stagePicture(
  { client, directory, site, paths, tally }: PictureStage,
  { line, row }: PictureRow,
) {
  const isExported = row.width !== undefined && row.height !== undefined && /^[\w-]{22}$/u.test(row.name);
  const file = isExported ? `${row.name}/${row.width}x${row.height}.webp` : row.name;
  const bytes = await readPicture(directory, { line, name: file, isExported });
  if (typeof bytes === 'string') return tally.skip(bytes);
  const { rows: avatars } = await client.query('select from line_member where avatar = $1 limit 1', [
    row.name,
  ]);
  const kind = avatars.length > 0 ? 'avatar' : 'picture';
  const name = isExported ? row.name : namePicture(row, { site, kind, bytes });
  const { rows: same } = await client.query<{ width: number; height: number }>(
    'select width, height from line_picture where name = $1',
    [name],
  );
  const show = (size: { width: number; height: number }) =>
    paths.set(`pictures/${row.name}`, getUploadPath({ ...size, name }));
  if (same[0] !== undefined) {
    if (!isExported) show(same[0]);
    return tally.skip('the same file as another picture');
  }
  try {
    const files = await encodePicture(bytes, kind);
    const size = files.at(-1);
    if (size === undefined) throw new Error('the encoder returned no file');
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
    if (!isExported) show(size);
  } catch (error) {
    const refusal = error instanceof ProblemError ? refusals[error.code] : undefined;
    if (refusal === undefined) throw error;
    tally.skip(refusal);
  }
}

/** The same file of the same member has the same name in each import of the site. An avatar belongs to one profile. */
function namePicture(
  row: PictureRow['row'],
  { site, kind, bytes }: { site: string; kind: 'picture' | 'avatar'; bytes: Buffer },
): string {
  const owner = [site, kind, row.memberId ?? '', kind === 'avatar' ? row.name : ''];
  const hash = createHash('sha256').update(JSON.stringify(owner)).update(bytes).digest();
  return hash.subarray(0, 16).toString('base64url');
}

/**
 * Returns why the picture is left out instead of its bytes. Someone else may have made the directory: a link must not
 * publish another file of the operator, and a device or pipe may never end.
 */
async function readPicture(
  directory: string,
  { line, name, isExported }: { line: number; name: string; isExported: boolean },
): Promise<Buffer | string> {
  try {
    const root = path.join(await realpath(directory), 'pictures');
    const file = await realpath(path.join(root, name));
    if (!file.startsWith(root + path.sep)) return 'a link that leads out of pictures/';
    if (!(await stat(file)).isFile()) return 'not a file';
    // Its size may be wrong or change; `end` is included.
    const bytes = await buffer(createReadStream(file, { end: limits.uploadBytes }));
    return bytes.length > limits.uploadBytes ? 'larger than 10 MB' : bytes;
  } catch (error) {
    if (isExported && getErrorCode(error) === 'ENOENT') return 'the file is missing';
    throw lineError(
      'pictures.jsonl',
      line,
      unreadableError(`pictures/${name}`, error).message.replace(/\.$/u, ''),
    );
  }
}

/**
 * Stores the staged pictures that new posts show, and the avatars of new members. A picture with a name that exists here is
 * this picture. Runs after the members and posts were added.
 */
export async function addPictures(client: ClientBase): Promise<number> {
  await client.query(`
    create temporary table line_shown on commit drop as
    select distinct kind, new_id as post_id, shown.names[1] as name
    from (
      select kind, new_id, content from line_post where is_new and has_pictures
      union all
      select post.kind, post.new_id, revision.content
      from line_revision revision join line_post post on (post.kind, post.id) = (revision.kind, revision.post)
      where post.is_new and strpos(revision.content, '/uploads/') > 0
    ) written
    cross join lateral regexp_matches(written.content, '/uploads/([A-Za-z0-9_-]{22})/', 'g') as shown (names);
    analyze line_shown;`);
  const added = await client.query(`
    with added as (
      insert into upload (name, member_id, kind, content_hash, width, height, bytes)
      select name,
        -- A member has a file once.
        case when place = 1 and not exists (
          select from upload where member_id = owner_id and kind = picture.kind and content_hash = picture.content_hash
        ) then owner_id end,
        kind, content_hash, width, height,
        (select sum(octet_length(content)) from line_picture_file file where file.name = picture.name)
      from (
        select staged.*, author.id as owner_id, row_number() over (partition by author.id, kind, content_hash order by line) as place
        from line_picture staged left join line_author author on author.key = staged.member
      ) picture
      where name in (select name from line_shown) or kind = 'avatar' and exists (
        select from line_member where is_new and avatar = picture.original)
      order by line
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
       select picture.new_id, post_id from line_shown join line_picture picture using (name)
       where line_shown.kind = $1 and picture.new_id is not null
       on conflict do nothing`,
      [kind],
    );
  return added.rowCount ?? 0;
}
