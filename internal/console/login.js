// The view that somebody wants to see stands behind the #. It is kept through the login.
for (const form of document.forms) form.action += location.hash
