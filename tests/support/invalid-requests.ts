import type { RequestOptions } from './member.ts';
import { type Operation, type Parameter, listInvalidValues } from './openapi.ts';
import { exampleValue, type ValidRequest } from './valid-requests.ts';

/** With `mayBeAccepted`, a response with 200 is correct as well, since the request may be valid. */
export type InvalidRequest = {
  description: string;
  path: string;
  sending: RequestOptions;
  mayBeAccepted?: boolean;
};

/** Every invalid request that can be derived from an operation's description and a valid request. */
export function listInvalidRequests(operation: Operation, right: ValidRequest): InvalidRequest[] {
  const bad = [...badPaths(operation), ...badQueries(operation, right), ...badHeaders(operation, right)];
  return operation.body === undefined ? bad : [...bad, ...badBodies(operation, right)];
}

const invalidPathValues: Record<string, string[]> = {
  id: ['0', '-1', '1.5', '1e3', 'abc', '%00', '%ff', '%20', '999999999', `${2 ** 53 - 1}`, '9'.repeat(40)],
  target: ['sideways', 'answer:0', 'reply:feed:1', 'edit:reply:1.5', '%00', '%ff', 'x'.repeat(201)],
  feed: ['sideways', '%00', '%ff', 'x'.repeat(201)],
  category: ['sideways', '%00', '%ff', 'x'.repeat(201)],
  kind: ['sideways', '%00', '%ff', 'x'.repeat(201)],
  // A tag can be followed before a question uses it.
  tag: ['%00', '%07', 'x'.repeat(201)],
  name: ['unknown', '%00', 'x'.repeat(61)],
};

function badPaths(operation: Operation): InvalidRequest[] {
  const parameter = operation.parameters.find(({ in: place }) => place === 'path');
  if (parameter === undefined) return [];
  const values = invalidPathValues[parameter.name];
  if (values === undefined) throw new Error(`no invalid examples for the parameter ${parameter.name}`);
  const body =
    operation.body &&
    Object.fromEntries(
      Object.keys(operation.body.properties ?? {}).map((field) => [
        field,
        exampleValue(field, operation.name),
      ]),
    );
  return values.map((value) => ({
    description: `the path with ${value}`,
    path: operation.path.replace(/\{\w+\}/, value),
    sending: { body },
  }));
}

const cursorOf = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');
const badCursors = [
  'x',
  '%00',
  '%ff',
  'A'.repeat(201),
  ...['x', null, {}, [], [1], [1.5, 1], [-8.64e15, 1], [1e300, 1], [1, 0.5], ['1', '1'], [1, 2 ** 60]].map(
    cursorOf,
  ),
];

function badQueries({ parameters }: Operation, right: ValidRequest): InvalidRequest[] {
  const queries = parameters.filter(({ in: place }) => place === 'query');
  // Without a query, a search ignores its other parameters.
  const searched = queries.some(({ name }) => name === 'q') ? 'q=bread&' : '';
  return queries.flatMap((parameter) =>
    badQueryValues(parameter).map(({ value, mayBeAccepted }) => ({
      description: `${parameter.name}=${value}`,
      path: `${right.path}?${parameter.name === 'q' ? '' : searched}${parameter.name}=${value}`,
      sending: right,
      mayBeAccepted,
    })),
  );
}

function badQueryValues({ name, schema }: Parameter) {
  if (name === 'cursor') return badCursors.map((value) => ({ value, mayBeAccepted: false }));
  const long =
    schema.maxLength === undefined ? [] : [{ value: 'x'.repeat(schema.maxLength + 1), mayBeAccepted: false }];
  // Any text is a valid query: it must find nothing, not fail.
  const odd = ['%00', '%ff', '%ED%A0%80', '%25_%5C', "'%22%3B--", '%F0%9F%8D%9E', '*:*', '%26 %7C !'];
  if (schema.enum === undefined) return [...long, ...odd.map((value) => ({ value, mayBeAccepted: true }))];
  return ['sideways', '', '%00'].map((value) => ({ value, mayBeAccepted: false }));
}

function badHeaders({ parameters, method, body }: Operation, right: ValidRequest): InvalidRequest[] {
  const keys = ['short', 'x'.repeat(101), 'with spaces in it', "quote'--12345"];
  const hasKey = parameters.some(({ name }) => name === 'idempotency-key');
  const origins = method === 'GET' ? [] : ['https://evil.example', 'null'];
  const types = body === undefined ? [] : ['text/plain', 'application/xml', 'nonsense'];
  return [
    ...(hasKey ? keys : []).map((key) => ({
      description: `the key ${key}`,
      path: right.path,
      sending: { ...right, key },
    })),
    ...origins.map((origin) => ({
      description: `the origin ${origin}`,
      path: right.path,
      sending: { ...right, headers: { origin } },
    })),
    ...types.map((type) => ({
      description: `the type ${type}`,
      path: right.path,
      sending: { ...right, headers: { 'content-type': type } },
    })),
  ];
}

function badBodies({ body: schema }: Operation, right: ValidRequest): InvalidRequest[] {
  const { path, body } = right;
  const { properties = {}, required = [] } = schema ?? {};
  const whole = [
    'null',
    '[]',
    '"text"',
    '7',
    '{',
    '',
    '{"a":'.repeat(10_000),
    `{"x":"${'x'.repeat(600_000)}"}`,
  ];
  const send = (description: string, changed: unknown): InvalidRequest => ({
    description,
    path,
    sending: { body: changed },
  });
  return [
    ...whole.map((text) => send(`the body ${text.slice(0, 20)}`, text)),
    ...required.map((field) => send(`without ${field}`, { ...body, [field]: undefined })),
    send('an unknown field', { ...body, unknown: 1 }),
    send('the field __proto__', `{"__proto__":{"a":1},${JSON.stringify(body).slice(1)}`),
    ...Object.entries(properties).flatMap(([field, property]) =>
      listInvalidValues(property)
        // A password may contain any characters.
        .filter(({ value }) => !(/password/i.test(field) && typeof value === 'string' && value.length < 100))
        .map(({ description, value }) => send(`${field} ${description}`, { ...body, [field]: value })),
    ),
  ];
}

/** Whether a body has all members of problem details. */
export function isCompleteProblem(body: unknown, status: number): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { kind, code, detail, title, type, ...rest } = body as Record<string, unknown>;
  const texts = [kind, code, detail, title, type];
  return texts.every((text) => typeof text === 'string' && text !== '') && rest['status'] === status;
}
