// Sets the chosen theme before the first paint, so that a dark page never flashes white.
try {
  const theme = JSON.parse(localStorage.getItem("duetime") || "{}").theme;
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is closed to this page: the system's theme counts.
}
