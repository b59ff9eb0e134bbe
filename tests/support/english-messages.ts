import { i18n } from '@lingui/core';

// Texts are made in the language shown: before every test file, English.
i18n.loadAndActivate({ locale: 'en', messages: {} });
