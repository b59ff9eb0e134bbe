import type { ClientBase } from 'pg';
import type { LineTarget } from './jsonl-queries.ts';
import { kindNumber } from './jsonl-tables.ts';

/** Adds the addresses of the old site, after everything that they lead to. Returns the number of new addresses. */
export async function addRedirects(client: ClientBase, { source, runId }: LineTarget): Promise<number> {
  await client.query(`
    update line_redirect redirect set new_id = post.new_id from line_post post
    where post.kind = ${kindNumber} and post.id = redirect.target
      and post.is_skipped is null;
    update line_redirect redirect set new_id = author.id from line_author author
    where redirect.kind = 'member' and author.key = redirect.target;
    update line_redirect redirect set new_id = tag.id from tag where tag.key = redirect.tag_key;`);
  const added = await client.query(
    `with placed as (
       select redirect.*, coalesce((select min(id) from line_source where site = source_site), $1) as source_id
       from line_redirect redirect where new_id is not null),
     added as (
       insert into imported_redirect (source_id, address, kind, target_id, run_id)
       select source_id, address, kind, new_id, $2 from placed order by source_id, address
       on conflict do nothing returning source_id, address)
     update line_redirect redirect set is_new = true from added join placed using (source_id, address)
     where placed.line = redirect.line`,
    [source, runId],
  );
  return added.rowCount ?? 0;
}
