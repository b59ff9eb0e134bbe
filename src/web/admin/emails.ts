import { queryOptions } from '@tanstack/react-query';
import type { EmailKind, emailThemes } from '#shared/admin/emails.ts';
import type { Language } from '#shared/core/languages.ts';
import { api, readJson } from '#web/core/api.ts';
import { stringifySearch } from '#web/core/paths.ts';

const key = (...rest: readonly unknown[]) => ['admin', 'emails', ...rest];

/** @param language of the subjects, by which admins know the emails */
export const emailOverviewQuery = (language: Language) =>
  queryOptions({
    queryKey: key('overview', language),
    queryFn: ({ signal }) => readJson(api.admin.emails.$get({ query: { language } }, { init: { signal } })),
    staleTime: 0,
  });

export type EmailView = { kind: EmailKind; language: Language };

export const emailSampleQuery = ({ kind, language }: EmailView) =>
  queryOptions({
    queryKey: key('sample', kind, language),
    queryFn: ({ signal }) =>
      readJson(
        api.admin.emails[':kind'].$get({ param: { kind }, query: { language } }, { init: { signal } }),
      ),
    staleTime: 0,
  });

export type EmailTheme = (typeof emailThemes)[number];

/** The page that a frame shows. */
export const emailHtmlPath = ({ kind, language }: EmailView, theme: EmailTheme) =>
  `/api/admin/emails/${kind}/html${stringifySearch({ language, theme })}`;

export const sendTestEmail = (view: EmailView) => readJson(api.admin.emails.tests.$post({ json: view }));
