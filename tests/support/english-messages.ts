import { i18n } from '@lingui/core';
import { errorTable } from '#shared/errors.ts';

// Activates English before every test file: messages are created in the active language. The build gives modules the
// texts of errors.
const messages = Object.entries(errorTable).map(([code, [, text]]) => [`error.${code}`, text]);
i18n.loadAndActivate({ locale: 'en', messages: Object.fromEntries(messages) });
