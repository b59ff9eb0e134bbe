import type { Messages } from '@lingui/core';

/** The English texts of every module that was loaded, each of which brings its own (vite.config.texts.ts). */
export const english: Messages = {};
