import { coreErrors } from './core/core-errors.ts';
import type { ErrorKind } from './core/error-kinds.ts';
import { discoveryErrors } from './discovery/discovery-errors.ts';
import { engagementErrors } from './engagement/engagement-errors.ts';
import { identityErrors } from './identity/identity-errors.ts';
import { integrationsErrors } from './integrations/integrations-errors.ts';
import { moderationErrors } from './moderation/moderation-errors.ts';
import { notificationsErrors } from './notifications/notifications-errors.ts';
import { postsErrors } from './posts/posts-errors.ts';

/**
 * Every error of the API by its code, with its kind and its English text. The server sends the code, its parameters and
 * the text; the browser translates the code (docs/decisions/043-error-codes.md). In the browser, import only types from
 * here: the build gives each module the texts of the codes that it names (vite.config.texts.ts).
 */
export const errorTable = {
  ...coreErrors,
  ...identityErrors,
  ...postsErrors,
  ...engagementErrors,
  ...discoveryErrors,
  ...notificationsErrors,
  ...moderationErrors,
  ...integrationsErrors,
} as const;

type Table = typeof errorTable;
export type ErrorCode = keyof Table;

type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** What a text is filled with. Numbers are written as the language of the text writes them. */
export type ErrorParams<Code extends ErrorCode> = Readonly<
  Record<Placeholders<Table[Code][1]>, string | number>
>;

/** The codes whose texts have exactly these parameters; `ErrorCodeWith<never>`: none. */
export type ErrorCodeWith<Names extends string> = {
  [Code in ErrorCode]: [Placeholders<Table[Code][1]>] extends [Names]
    ? [Names] extends [Placeholders<Table[Code][1]>]
      ? Code
      : never
    : never;
}[ErrorCode];

/** A code with the values of its parameters. */
export type CodedError = { code: ErrorCode; params?: Readonly<Record<string, string | number>> | undefined };

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

export function getErrorKind(code: ErrorCode): ErrorKind {
  return errorTable[code][0];
}

/** The English text of an error. */
export function formatError({ code, params = {} }: CodedError): string {
  return errorTable[code][1].replace(/\{(\w+)\}/gu, (placeholder, name: string) => {
    const value = params[name];
    return typeof value === 'number' ? value.toLocaleString('en') : (value ?? placeholder);
  });
}
