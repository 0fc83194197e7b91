/** The check boxes of rendered Markdown, and whether each is checked. Nothing else in it looks like this. */
export const CHECK_BOXES = /<input type="checkbox" disabled( checked)? \/>/g

export const checkBoxHtml = (isChecked: boolean): string =>
  `<input type="checkbox" disabled${isChecked ? ' checked' : ''} />`
