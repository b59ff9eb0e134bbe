// Runs before the first paint. The same rule as core/color-scheme.ts: `darkMode` decides, otherwise the system's theme.
(() => {
  let darkMode = null;
  try {
    darkMode = localStorage.getItem('darkMode');
  } catch {
    // Storage can be blocked. Then the system's theme applies.
  }
  const dark =
    darkMode === 'true' || (darkMode !== 'false' && matchMedia('(prefers-color-scheme: dark)').matches);
  // The background color of theme.css, for the browser's toolbar.
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', dark ? '#191815' : '#fbf9f4');
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
