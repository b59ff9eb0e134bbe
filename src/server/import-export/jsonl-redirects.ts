import type { ClientBase } from 'pg';
import type { LineTarget } from './jsonl-queries.ts';

/** Adds the addresses of the old site, after everything that they lead to. Returns the number of new addresses. */
export async function addRedirects(client: ClientBase, { source, runId }: LineTarget): Promise<number> {
  await client.query(`
    update line_redirect redirect set new_id = post.new_id from line_post post
    where post.kind = array_position(array['question', 'answer', 'reply'], redirect.kind) and post.id = redirect.target
      and post.is_skipped is null;
    update line_redirect redirect set new_id = author.id from line_author author
    where redirect.kind = 'member' and author.key = redirect.target;
    update line_redirect redirect set new_id = tag.id from tag where tag.key = redirect.tag_key;`);
  const added = await client.query(
    `with added as (
       insert into imported_redirect (source_id, address, kind, target_id, run_id)
       select $1, address, kind, new_id, $2 from line_redirect where new_id is not null order by address
       on conflict do nothing returning address)
     update line_redirect redirect set is_new = true from added where added.address = redirect.address`,
    [source, runId],
  );
  return added.rowCount ?? 0;
}
