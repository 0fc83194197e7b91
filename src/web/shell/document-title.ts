let title = document.title
let prefix = ''

const show = () => {
  document.title = prefix + title
}

/** The title of the page. */
export function setTitle(text: string) {
  title = text
  show()
}

/** What comes before the title of every page. */
export function setTitlePrefix(text: string) {
  prefix = text
  show()
}
