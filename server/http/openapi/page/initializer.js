// Loads the document from the same server and sends nothing to other hosts, not even to a validator.
SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "list",
  validatorUrl: null,
  tryItOutEnabled: true,
});
