import type { OpenAPIHono } from '@hono/zod-openapi';
import { errorKinds } from '#shared/core/error-kinds.ts';
import { errorTable } from '#shared/errors.ts';
import recordedExamples from './openapi-examples.json' with { type: 'json' };
import { addTokenScopes } from './api-token-docs.ts';
import { nameSchemas } from './openapi-schemas.ts';

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/** The parts of an operation that this module reads and writes. */
type Operation = {
  requestBody?: { content: Record<string, object> };
  responses: Record<string, { content?: Record<string, object> }>;
};

/** Recorded by tests/heavy/openapi.test.ts, by operation such as 'GET /tags/{tag}'. */
type Examples = Record<string, { request?: unknown; status: number; response?: unknown }>;

/** The groups of the reference. The first one that matches has the operation. */
const groups: readonly [RegExp, string][] = [
  [/^\/admin\//u, 'Administration'],
  [
    /^\/(?:moderation|moderator-messages|hidden-posts|removed-posts|edit-suggestions|abilities)\b|\/(?:report|close-votes|edit-suggestions|hidden)$/u,
    'Moderation',
  ],
  [/^\/(?:notifications|notification-preferences|push-subscription)\b/u, 'Notifications'],
  [
    /^\/(?:bookmarks|bookmark-lists|mutes|follows|following)\b|\/(?:vote|follow|bookmark|mute)$/u,
    'Votes, follows, bookmarks',
  ],
  [
    /^\/(?:search|changes|feeds|viewer\/feeds|tags|viewer\/tags|announcements|audience)\b|\/(?:related|similar)$/u,
    'Lists, topics and search',
  ],
  [
    /^\/(?:questions|answers|replies|viewer\/questions|question-titles|drafts|uploads|tag-rules|imported-posts|held-posts)\b/u,
    'Posts',
  ],
  [/^\/members\//u, 'Profiles'],
  [/./u, 'Accounts and site'],
];

const examples: Examples = recordedExamples;

/**
 * Describes the API by OpenAPI 3.1. Adds to what the routes describe: schemas with names, ids and groups of the
 * operations, the codes of errors, recorded examples, and how requests are authenticated.
 */
export function describeApi(describe: () => Document): Document {
  nameSchemas();
  const document = describe();
  const paths = Object.entries(document.paths ?? {}).map(([address, methods]) => [
    address,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]: [string, Operation]) => [
        method,
        {
          tags: [findGroup(address)],
          operationId: createOperationId(method, address),
          ...addExample(operation, examples[`${method.toUpperCase()} ${address}`]),
        },
      ]),
    ),
  ]);
  const completed = { ...document, paths: Object.fromEntries(paths), tags: listGroups() } as Document;
  listErrors(completed);
  return addTokenScopes(completed);
}

const listGroups = () => groups.map(([, name]) => ({ name })).toReversed();

const findGroup = (address: string) => groups.find(([pattern]) => pattern.test(address))?.[1] ?? '';

/** 'getQuestionsByIdAnswers' for GET /questions/{id}/answers. */
function createOperationId(method: string, address: string): string {
  const words = address.split(/[/.-]/u).map((word) => {
    const named = word.replace(/^\{(.*)\}$/u, 'by-$1');
    return named.split('-').map(capitalize).join('');
  });
  return method + words.join('');
}

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function addExample(operation: Operation, example: Examples[string] | undefined): Operation {
  if (example === undefined) return operation;
  const { requestBody, responses } = operation;
  const status = String(example.status);
  const described = responses[status];
  const result = { ...operation };
  if (requestBody !== undefined && example.request !== undefined)
    result.requestBody = { ...requestBody, content: withExample(requestBody.content, example.request) };
  if (described?.content !== undefined && example.response !== undefined)
    result.responses = {
      ...responses,
      [status]: { ...described, content: withExample(described.content, example.response) },
    };
  return result;
}

const withExample = (content: Record<string, object>, example: unknown) =>
  Object.fromEntries(
    Object.entries(content).map(([type, media]) => [
      type,
      type === 'application/json' ? { ...media, example } : media,
    ]),
  );

/** Lists the kinds and codes of problems, for generated clients. */
function listErrors(document: Document): void {
  const schema = document.components?.schemas?.['Problem'];
  if (schema === undefined || !('properties' in schema) || schema.properties === undefined) return;
  Object.assign(schema.properties['kind'] ?? {}, { enum: Object.keys(errorKinds) });
  Object.assign(schema.properties['code'] ?? {}, { enum: Object.keys(errorTable).toSorted() });
}
