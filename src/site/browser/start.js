// Runs before anything is painted: the theme of the web app, and the language of the samples.
const root = document.documentElement
root.dataset.font = ''
try {
  const theme = JSON.parse(localStorage.getItem('parley:theme') ?? '""')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  const language = localStorage.getItem('parley:docs-language')
  if (['curl', 'typescript', 'python'].includes(language)) root.dataset.language = language
} catch {
  // Not available: as the system, with curl.
}
