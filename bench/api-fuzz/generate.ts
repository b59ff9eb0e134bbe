import fc from 'fast-check';
import type { RequestOptions } from '#tests/support/member.ts';
import type { Operation } from '#tests/support/openapi.ts';
import type { ValidRequest } from '#tests/support/valid-requests.ts';
import type { Random } from '../fill/random.ts';

export type GeneratedRequest = {
  kind: 'right' | 'nearly right' | 'garbage';
  method: string;
  /** Without /api. */
  path: string;
  sending: RequestOptions;
};

/** A valid request with one or several parts replaced by random values. */
export function mutateRequest(operation: Operation, right: ValidRequest, random: Random): GeneratedRequest {
  const { method, parameters, path: pattern } = operation;
  let { path } = right;
  let body: unknown = right.body;
  const headers: Record<string, string> = { ...right.headers };
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const where = random.below(4);
    if (where === 0 && pattern.includes('{')) path = pattern.replace(/\{\w+\}/u, () => inPath(random));
    else if (where === 1) path += `${path.includes('?') ? '&' : '?'}${queryFor(parameters, random)}`;
    else if (where === 2) Object.assign(headers, generateHeader(random));
    else if (typeof right.body === 'object')
      body = { ...right.body, [random.of([...Object.keys(right.body), 'other'])]: anything(random) };
  }
  return { kind: 'nearly right', method, path, sending: { body, headers } };
}

/** A request that no client of the API would send. */
export function generateGarbage(
  { method }: Operation,
  { path }: ValidRequest,
  random: Random,
): GeneratedRequest {
  const other = random.chance(0.2)
    ? random.of(['PATCH', 'OPTIONS', 'HEAD', 'PUT', 'POST', 'DELETE', 'GET'])
    : method;
  const place = random.chance(0.3)
    ? `/${Array.from({ length: 1 + random.below(5) }, () => inPath(random)).join('/')}`
    : `${path}${random.chance(0.5) ? `/${inPath(random)}` : `?${inPath(random)}`}`;
  const hasBody = other !== 'GET' && other !== 'HEAD';
  const body = random.chance(0.5) ? JSON.stringify(anything(random)) : sample(texts, random);
  return {
    kind: 'garbage',
    method: other,
    path: place,
    sending: { ...(hasBody && { body }), headers: random.chance(0.5) ? generateHeader(random) : {} },
  };
}

const texts = fc.string({ unit: 'binary', maxLength: 200 });
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.anything({ withNullPrototype: false, maxDepth: 3 }).map((value) => JSON.parse(asJson(value)) as unknown),
  texts,
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    'x'.repeat(70_000),
    '𝒜'.repeat(2_500),
    '\u202e',
    '__proto__',
    "';--",
    '%s%n',
  ),
  fc.double(),
  fc.maxSafeInteger(),
  fc.array(texts, { maxLength: 300 }),
);

const anything = (random: Random): unknown => sample(values, random);

function asJson(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)) ?? 'null'
    );
  } catch {
    return 'null';
  }
}

/** Encoded or not, but without characters that end the path or the request. */
function inPath(random: Random): string {
  const text = String(random.chance(0.3) ? sample(fc.maxSafeInteger(), random) : sample(texts, random)).slice(
    0,
    80,
  );
  if (random.chance(0.2))
    return random.of(['%00', '%ff', '%', '%zz', '..', '.', '%2e%2e', '%2f', ';', '*', '-1', '1e9']);
  return encodeURIComponent(text.toWellFormed());
}

function queryFor(parameters: Operation['parameters'], random: Random): string {
  const named = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  return `${random.of([...named, 'other'])}=${inPath(random)}`;
}

function generateHeader(random: Random): Record<string, string> {
  const text = sample(fc.string({ maxLength: 60 }), random).replaceAll(/[^\x21-\x7e]/gu, '');
  return {
    [random.of([
      'content-type',
      'accept',
      'accept-encoding',
      'accept-language',
      'if-none-match',
      'idempotency-key',
      'origin',
      'x-forwarded-for',
      'x-request-id',
      'parley-min-position',
      'parley-member',
      'parley-draft',
      'authorization',
      'range',
    ])]: text,
  };
}

function sample<Value>(arbitrary: fc.Arbitrary<Value>, random: Random): Value {
  const [value] = fc.sample(arbitrary, { seed: random.below(2 ** 31), numRuns: 1 });
  return value as Value;
}
