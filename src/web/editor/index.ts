export { findOffset, findPosition, openText, type RichEditor } from './rich-editor'
export { RichSurface, type Start } from './rich-surface'
export { RichToolbar } from './rich-toolbar'
export { toHtml } from './to-html'
