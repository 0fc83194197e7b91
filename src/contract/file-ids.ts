/** The id of a file, as a part of regular expressions. */
export const FILE_ID = 'file_[0-9a-hjkmnp-tv-z]{26}'

/** Whether rendered Markdown may show files: the HTML of each has its id. */
export const mayHaveFiles = (html: string): boolean => html.includes('file_')
