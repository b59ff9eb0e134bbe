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
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
