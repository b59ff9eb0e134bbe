import { createRoute } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import { addressText, tagParam } from '#shared/core/fields.ts';
import {
  managedTag,
  synonymRemovalQuery,
  tagChangeDraft,
  tagTextsDraft,
} from '#shared/moderation/managed-tags.ts';
import { readManagedTag, setTagTexts } from './managed-tags.ts';
import type { ModerationDeps } from './member-actions.ts';
import { type ModeratorEnv, moderatorsOnly } from './moderator.ts';
import { addSynonym, changeTag, removeSynonym } from './tag-changes.ts';

const current = { 200: jsonResponse(managedTag, 'The current state'), ...problemResponses };
const synonymParams = tagParam.extend({ synonym: addressText.min(1) });

const read = createRoute({
  method: 'get',
  path: '/moderation/tags/{tag}',
  summary: 'For moderators: get a tag with its texts, its synonyms and a running change',
  request: { params: tagParam },
  responses: current,
});

const setTexts = createRoute({
  method: 'put',
  path: '/moderation/tags/{tag}',
  summary: 'For moderators: set the description and the text of a tag',
  request: { params: tagParam, body: jsonBody(tagTextsDraft) },
  responses: current,
});

const putSynonym = createRoute({
  method: 'put',
  path: '/moderation/tags/{tag}/synonyms/{synonym}',
  summary: 'For moderators: make a name lead to a tag',
  request: { params: synonymParams },
  responses: current,
});

const deleteSynonym = createRoute({
  method: 'delete',
  path: '/moderation/tags/{tag}/synonyms/{synonym}',
  summary:
    'For moderators: make a synonym a tag of its own again, without questions, or remove the name everywhere',
  request: { params: synonymParams, query: synonymRemovalQuery },
  responses: current,
});

const change = createRoute({
  method: 'post',
  path: '/moderation/tag-changes',
  summary:
    'For moderators: merge a tag into another one, or rename it. The old name becomes a synonym or is removed everywhere',
  request: { body: jsonBody(tagChangeDraft) },
  responses: current,
});

/** For moderators only. */
export function managedTagRoutes({ db, moderation }: RouteDeps & { moderation: ModerationDeps }) {
  const routes = createRouter<ModeratorEnv>();
  for (const path of ['/moderation/tags/*', '/moderation/tag-changes']) routes.use(path, moderatorsOnly);
  return routes
    .openapi(read, async (c) => c.json(await readManagedTag(db, c.req.valid('param').tag), 200))
    .openapi(setTexts, async (c) => {
      const moderator = c.get('moderator');
      const { tag } = c.req.valid('param');
      await setTagTexts(db, { moderator, tag, texts: c.req.valid('json') });
      return c.json(await readManagedTag(db, tag), 200);
    })
    .openapi(putSynonym, async (c) => {
      const names = c.req.valid('param');
      await addSynonym(db, { moderator: c.get('moderator'), ...names });
      return c.json(await readManagedTag(db, names.tag), 200);
    })
    .openapi(deleteSynonym, async (c) => {
      const names = c.req.valid('param');
      const keepName = c.req.valid('query').keepName === 'true';
      await removeSynonym(db, { moderator: c.get('moderator'), ...names, keepName, deps: moderation });
      return c.json(await readManagedTag(db, names.tag), 200);
    })
    .openapi(change, async (c) => {
      const draft = c.req.valid('json');
      const name = await changeTag(db, { moderator: c.get('moderator'), draft, deps: moderation });
      return c.json(await readManagedTag(db, name), 200);
    });
}
