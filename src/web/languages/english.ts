import type { Messages } from '@lingui/core';

/** The English messages of all loaded modules. Each module adds its own (vite.config.texts.ts). */
export const english: Messages = {};
