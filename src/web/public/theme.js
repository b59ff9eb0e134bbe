// Runs before the first paint. The same rule as platform/color-scheme.ts: `darkMode` decides, else the system.
(() => {
  let darkMode = null;
  try {
    darkMode = localStorage.getItem('darkMode');
  } catch {
    // Storage can be forbidden; the system's theme holds then.
  }
  const dark =
    darkMode === 'true' || (darkMode !== 'false' && matchMedia('(prefers-color-scheme: dark)').matches);
  // The paper of theme.css, for the browser's own bar.
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', dark ? '#191815' : '#fbf9f4');
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
