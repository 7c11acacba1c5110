/**
 * An id as one segment of a URL's path; null where it cannot be one. `.` and `..` survive encoding and would climb out of the
 * path, so that another resource would be read and taken for this one.
 */
export const pathSegment = (id: string): string | null => {
  if (id === '' || id === '.' || id === '..' || id.length > 255 || /\p{Surrogate}/u.test(id)) return null;
  return encodeURIComponent(id);
};
