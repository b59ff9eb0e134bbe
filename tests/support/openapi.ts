/** The parts of an OpenAPI 3.1 document that the tests read. */
export type Document = {
  paths: Record<string, Record<string, Description>>;
  components: { schemas: Record<string, Schema> };
};
type Description = {
  summary: string;
  security: object[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json'?: Media; 'message/rfc822'?: Media } };
  responses: Record<string, { content?: Record<string, Media> }>;
};
type Media = { schema: Schema; example?: unknown };
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema };
export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

/** One endpoint: method and path as documented, such as 'PUT /questions/{id}/vote'. */
export type Operation = {
  name: string;
  summary: string;
  method: string;
  path: string;
  /** Whether the description says that requests without authentication can succeed. */
  isOpen: boolean;
  parameters: Parameter[];
  /** The schema of a JSON body; undefined for operations without one. */
  body: Schema | undefined;
  /** An example of a JSON body. */
  example: unknown;
  responses: Description['responses'];
};

/** Lists the operations, with every reference to a schema replaced by the schema. */
export function listOperations(document: Document): Operation[] {
  return Object.entries(resolveSchemas(document.paths, document.components.schemas)).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(
        ([method, { summary, security, parameters = [], requestBody, responses }]) => ({
          name: `${method.toUpperCase()} ${path}`,
          summary,
          method: method.toUpperCase(),
          path,
          isOpen: security.length === 0 || security.some((each) => Object.keys(each).length === 0),
          parameters,
          ...describeJson(requestBody?.content),
          responses,
        }),
      ),
  );
}

/** The JSON of an operation that takes JSON only. A received email can have several types. */
function describeJson(content: NonNullable<Description['requestBody']>['content'] = {}) {
  const json = content['message/rfc822'] === undefined ? content['application/json'] : undefined;
  return { body: json?.schema, example: json?.example };
}

/** An invalid value for a field. Failures show `description`. */
export type InvalidValue = { description: string; value: unknown };

/** Texts that no text field may accept. */
const harmfulTexts: InvalidValue[] = [
  { description: 'NUL', value: 'before\0after' },
  { description: 'a control character', value: 'before\u0007after' },
  { description: 'a lone high surrogate', value: 'before\ud800after' },
  { description: 'a lone low surrogate', value: '\udfff' },
];

/** Values that do not match the schema, and texts and numbers that would do harm if accepted. */
export function listInvalidValues(schema: Schema): InvalidValue[] {
  const types = new Set([schema.type ?? []].flat());
  const ofOtherTypes = Object.entries(samples)
    .filter(([type]) => !types.has(type) && !(type === 'integer' && types.has('number')))
    .map(([type, value]) => ({ description: `of type ${type}`, value }));
  return [
    ...ofOtherTypes,
    ...(schema.enum === undefined ? [] : [{ description: 'a value outside the enum', value: 'sideways' }]),
    ...(types.has('string') && schema.enum === undefined ? wrongTexts(schema) : []),
    ...(types.has('integer') ? wrongNumbers : []),
    ...(types.has('array') ? wrongLists(schema) : []),
  ];
}

const samples = { null: null, string: 'text', integer: 7, boolean: true, array: [], object: {} };

const wrongNumbers = [0, -1, 1.5, 1e308, 2 ** 53 + 2, Number.MIN_SAFE_INTEGER].map((value) => ({
  description: `the number ${value}`,
  value,
}));

function wrongTexts({ maxLength }: Schema): InvalidValue[] {
  const long = 'x'.repeat(maxLength === undefined ? 100_000 : maxLength + 1);
  return [...harmfulTexts, { description: `${long.length} characters`, value: long }];
}

function wrongLists({ items, maxItems }: Schema): InvalidValue[] {
  const tooMany = Array.from({ length: (maxItems ?? 1000) + 1 }, (_, index) => `item ${index}`);
  const within = items === undefined ? [] : listInvalidValues(items);
  return [
    { description: 'with too many items', value: tooMany },
    ...within.map(({ description, value }) => ({
      description: `with an item ${description}`,
      value: [value],
    })),
  ];
}

function resolveSchemas<Part>(part: Part, schemas: Record<string, Schema>): Part {
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (key === 'example' || typeof value !== 'object' || value === null || !('$ref' in value)) return value;
    const name = String(value.$ref).replace('#/components/schemas/', '');
    if (schemas[name] === undefined) throw new Error(`the document does not define ${String(value.$ref)}`);
    return resolveSchemas(schemas[name], schemas);
  }) as Part;
}
