import { defineConfig, type OxlintOverride } from 'oxlint';

/** The areas of the server and of the browser in the order in which they may import each other: only areas to the left. */
const serverAreas = [
  'core',
  'postgres',
  'notifications',
  'posts',
  'engagement',
  'discovery',
  'identity',
  'moderation',
  'admin',
  'import-export',
  'integrations',
  'operations',
];
const webAreas = [
  'core',
  'ui',
  'editor',
  'notifications',
  'posts',
  'engagement',
  'discovery',
  'identity',
  'moderation',
  'admin',
  'app',
];
/** Areas without a domain, whose files every area above them may import. */
const openAreas = new Set(['core', 'ui']);

type Pattern = { regex: string; message: string; allowTypeImports?: boolean };

const noParentPaths = {
  regex: '^\\.\\./',
  message: 'Use an alias to leave a directory: #shared, #server or #web.',
};
const noWeb = { regex: '^#web/', message: 'The server must not import the web app.' };
const noServer = { regex: '^#server/', message: 'The browser uses the server only through its API.' };
const noMantine = {
  regex: '^@mantine/core',
  allowTypeImports: true,
  message: 'Import components from #web/ui/mantine, which gives them the provider that they need.',
};
const noTests = { regex: '^#tests/', message: 'Only tests import test support.' };
const noTopLevel = {
  regex: '^#server/[^/]+\\.tsx?$',
  message: 'An area must not import the files that assemble the server.',
};

/** What files of `area` must not import from the other areas of `side`. */
function areaPatterns(side: string, areas: readonly string[], area: string): Pattern[] {
  const position = areas.indexOf(area);
  const above = areas.slice(position + 1);
  const below = areas.slice(0, Math.max(position, 0)).filter((each) => !openAreas.has(each));
  return [
    ...(above.length === 0
      ? []
      : [
          {
            regex: `^#${side}/(${above.join('|')})/`,
            message: `${area} must not import an area above it; ARCHITECTURE.md states their order.`,
          },
        ]),
    ...publicFilePatterns(side, below),
  ];
}

/** Other areas are imported by their public file, `index.ts`. The regular expressions have no look-ahead. */
function publicFilePatterns(side: string, areas: readonly string[]): Pattern[] {
  if (areas.length === 0) return [];
  const notIndex = '([^i]|i[^n]|in[^d]|ind[^e]|inde[^x]|index[^.])';
  return [
    {
      regex: `^(#${side}|\\.)/(${areas.join('|')})/${notIndex}`,
      message: 'Import another area through its public file, index.ts.',
    },
  ];
}

const restrictImports = (files: string[], patterns: Pattern[]): OxlintOverride => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'react', 'jsx-a11y', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'import/no-cycle': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    'react/rules-of-hooks': 'error',
    'react/exhaustive-deps': 'error',
    'react/react-in-jsx-scope': 'off',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'promise/no-callback-in-promise': 'off',
    'oxc/no-map-spread': 'off',
    'typescript/consistent-return': 'off',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default-member': 'off',
    'vitest/require-mock-type-parameters': 'off',
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*'] }],
  },
  // The last entry that matches a file decides.
  overrides: [
    restrictImports(
      ['src/shared/**'],
      [
        {
          regex:
            '^([^.#zvmh]|\\.[^/]|#[^s]|#s[^h]|z[^o]|v[^i]|m[^a]|ma[^r]|mar[^k]|h[^a]|ha[^s]|has[^t]|hast.)',
          message:
            'Shared code runs on the server and in the browser: it imports shared, zod, markdown-it and types of hast only.',
        },
      ],
    ),
    restrictImports(
      ['src/shared/**/*.test.ts'],
      [
        {
          regex: '^#(server|web|tests)/',
          message: 'Shared code imports neither the server nor the web app.',
        },
      ],
    ),
    restrictImports(
      ['src/server/*.ts'],
      [
        noParentPaths,
        noWeb,
        noTests,
        ...publicFilePatterns(
          'server',
          serverAreas.filter((area) => !openAreas.has(area)),
        ),
      ],
    ),
    ...serverAreas.map((area) =>
      restrictImports(
        [`src/server/${area}/**`],
        [noParentPaths, noWeb, noTests, noTopLevel, ...areaPatterns('server', serverAreas, area)],
      ),
    ),
    // A test may set up whatever it needs from any area, but not through another area's SQL or routes.
    restrictImports(
      ['src/server/**/*.test.ts'],
      [
        noParentPaths,
        noWeb,
        {
          regex: '^#server/[^/]+/.+-(queries|routes)\\.ts$',
          message: "Import another area's functions, not its queries and routes.",
        },
      ],
    ),
    restrictImports(['src/web/**'], [noParentPaths, noServer]),
    ...webAreas.map((area) =>
      restrictImports(
        [`src/web/${area}/**`],
        [
          noParentPaths,
          ...(area === 'core'
            ? [
                { ...noServer, regex: '^#server/([^a]|a[^p]|ap[^i]|api[^.])' },
                {
                  regex: '^#server/api\\.ts$',
                  allowTypeImports: true,
                  message: 'Only the type of the API, for the typed client.',
                },
              ]
            : [noServer]),
          ...(openAreas.has(area) ? [] : [noMantine]),
          // `app` loads each page and dialog as a chunk of its own, so it imports their files.
          ...(area === 'app' ? [] : areaPatterns('web', webAreas, area)),
        ],
      ),
    ),
    restrictImports(['src/web/**/*.test.ts', 'src/web/**/*.test.tsx'], [noParentPaths, noServer]),
  ],
});
